import { redacted } from "./mask-credentials.js";
import { redactText } from "../redact.js";
import { isCredentialParameter } from "./credential-name.js";
import type { KnownSecrets } from "./known-secrets.js";

const maxStringLength = 4096;

/** Number of characters scanned beyond the truncation point, so that a credential that spans this point is recognized. */
const minMargin = 2048;

/**
 * Prepares free text for a trace: redacts credentials in URLs, recognizable ones and known ones, then truncates to {@link maxStringLength}.
 */
export function redactString(text: string, secrets: KnownSecrets | undefined): string {
  if (text.length <= maxStringLength) return redactCredentials(text, secrets);
  const margin = Math.max(minMargin, secrets?.maxTextLength ?? 0);
  const isWhole = text.length <= maxStringLength + margin;
  const head = redactCredentials(text.slice(0, maxStringLength + margin), secrets);
  const kept = head.slice(0, Math.max(0, Math.min(maxStringLength, head.length - (isWhole ? 0 : margin))));
  return `${kept}… [cut: ${groupedDigits(text.length)} characters in all]`;
}

export function redactCredentials(text: string, secrets: KnownSecrets | undefined): string {
  return redactParameters(redactUserInfo(redactText(secrets?.mask(text) ?? text)));
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

/** Formats 1234567 as `1,234,567`. Avoids `Intl`, whose first use takes longer than everything else in a short trace. */
export function groupedDigits(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
