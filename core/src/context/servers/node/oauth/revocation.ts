import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../../../base/symposium-error.js";
import { asObject } from "../../../../base/rpc/json.js";
import { isSafeAddress } from "../../../../settings/address.js";

interface EndedLogin {
  readonly tokens?: StoredOAuthTokens;
  readonly discovery: OAuthDiscoveryState;
  readonly client: StoredOAuthClientInformation;
}

export type Revocation =
  | { readonly kind: "revoked" | "unsupported" | "none" }
  | { readonly kind: "failed"; readonly reason: string };

/** Revokes a sign-in's tokens at its authorization server (RFC 7009), the refresh token first. Never rejects. Reasons contain no token. */
export async function revokeTokens(
  { tokens, discovery, client }: EndedLogin,
  fetchFn: typeof fetch,
): Promise<Revocation> {
  if (!tokens) return { kind: "none" };
  // The SDK's metadata type lacks these members.
  const metadata = asObject(discovery.authorizationServerMetadata) ?? {};
  const { revocation_endpoint: endpoint, revocation_endpoint_auth_methods_supported: methods } = metadata;
  if (typeof endpoint !== "string") return { kind: "unsupported" };
  if (!isSafeAddress(endpoint)) return { kind: "failed", reason: "its revocation address isn't an https address" };
  const { client_id: id, client_secret: secret } = client;
  const isBasic = typeof secret === "string" && !(Array.isArray(methods) && !methods.includes("client_secret_basic"));
  const basic = isBasic && {
    authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`,
  };
  const identity = isBasic ? {} : { client_id: id, ...(typeof secret === "string" && { client_secret: secret }) };
  const all = [
    ["refresh_token", tokens.refresh_token],
    ["access_token", tokens.access_token],
  ] as const;
  try {
    for (const [hint, token] of all) {
      if (token === undefined) continue;
      const response = await fetchFn(endpoint, {
        method: "POST",
        redirect: "error",
        headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json", ...basic },
        body: new URLSearchParams({ token, token_type_hint: hint, ...identity }).toString(),
      });
      await response.body?.cancel();
      // A server that can't revoke access tokens revokes them with the refresh token (RFC 7009, 2.2.1).
      if (!response.ok && !(hint === "access_token" && tokens.refresh_token !== undefined)) {
        return { kind: "failed", reason: `it answered ${response.status}` };
      }
    }
    return { kind: "revoked" };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { kind: "failed", reason: messageOf(cause) };
  }
}
