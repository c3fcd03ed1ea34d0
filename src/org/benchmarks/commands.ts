export { setBenchmarkProfile } from "./profile.ts";
