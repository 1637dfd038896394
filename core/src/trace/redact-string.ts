import { redactText } from "../base/redact.js";
import { isCredentialParameter } from "./credential-name.js";

/** What stands in a trace instead of a credential. */
export const redacted = "[redacted]";

/** Strings longer than this are cut, in characters. */
export const maxStringLength = 4096;

/** Text after the cut that is still looked at, so that a credential across the cut is seen whole. */
const margin = 2048;

/** Free text for a trace: no credentials in URLs or of well-known shapes, and cut to {@link maxStringLength}. */
export function redactString(text: string): string {
  if (text.length <= maxStringLength) return redactCredentials(text);
  const isWhole = text.length <= maxStringLength + margin;
  const head = redactCredentials(text.slice(0, maxStringLength + margin));
  const kept = head.slice(0, Math.max(0, Math.min(maxStringLength, head.length - (isWhole ? 0 : margin))));
  return `${kept}… [cut: ${text.length.toLocaleString("en-US")} characters in all]`;
}

function redactCredentials(text: string): string {
  return redactParameters(redactUserInfo(redactText(text)));
}

function redactUserInfo(text: string): string {
  return text.includes("://") ? text.replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"<>]*@/gi, `$1${redacted}@`) : text;
}

function redactParameters(text: string): string {
  return text.replace(/([?&#;])([^\s=?&#;"'<>]+)=([^\s&#;"'<>]+)/g, (whole, mark: string, name: string) =>
    isCredentialParameter(decoded(name)) ? `${mark}${name}=${redacted}` : whole,
  );
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
