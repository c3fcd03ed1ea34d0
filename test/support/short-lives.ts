import { useShortLives } from "./lives.ts";

useShortLives();
