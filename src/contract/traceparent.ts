/** W3C's `traceparent`: a version, a trace, a span in it, and flags. Version ff and ids of zeros are invalid. */
export const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
