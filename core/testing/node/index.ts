/** Helpers for other packages' tests that run in Node. */
export { type Exchange, resetAtEveryStep } from "./resets.js";
export { OtlpReceiver, type ReceivedSpan } from "./otlp-receiver.js";
export { rustFolders, whyNoCargo, whyNoTarget } from "./rust-here.js";
export { OAuthServer } from "./oauth-server.js";
export { slowPieces } from "./scaling.js";
