import { SymposiumError } from "../../../../base/symposium-error.js";
import type { RemoteLaunch } from "../../expanded-launch.js";
import type { LoginRequest } from "./login-flow.js";
import { oauthReason } from "./oauth-reason.js";

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "symposium", version: "1" } },
};

/**
 * Returns the challenge with which a server rejects unauthenticated requests; undefined if it accepts them. Rejects with `sign-in-failed`
 * if the server is unreachable.
 */
export async function challengeOf(
  serverName: string,
  { url, headers }: RemoteLaunch,
  fetchFn: typeof fetch,
): Promise<LoginRequest["challenge"] | undefined> {
  const sdk = await import("../mcp-sdk.js");
  try {
    const response = await fetchFn(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify(initialize),
    });
    await response.body?.cancel();
    if (response.status !== 401) return undefined;
    const { scope, resourceMetadataUrl } = sdk.extractWWWAuthenticateParams(response);
    return { ...(scope !== undefined && { scope }), ...(resourceMetadataUrl && { resourceMetadataUrl }) };
  } catch (error) {
    const message = `"${serverName}" cannot be reached: ${oauthReason(sdk, error)}.`;
    throw new SymposiumError("sign-in-failed", message, "Check its address.");
  }
}
