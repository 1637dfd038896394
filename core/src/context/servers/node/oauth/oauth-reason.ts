import { redactText } from "../../../../base/redact.js";
import { messageOf } from "../../../../base/symposium-error.js";
import type * as Sdk from "../mcp-sdk.js";

/** Describes an OAuth failure for users. Doesn't quote responses in an unknown format, which may contain a token. */
export function oauthReason(sdk: Pick<typeof Sdk, "OAuthError">, error: unknown): string {
  if (error instanceof sdk.OAuthError) {
    if (error.code === "server_error") return "the authorization server failed";
    return `the authorization server reported ${redactText(error.code)}`;
  }
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return redactText(messageOf(inner)).replace(/\.$/, "");
}
