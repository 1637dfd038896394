import { randomUUID } from "node:crypto";
import { serve } from "./serve.mjs";

/**
 * GitHub's issuer of ID tokens on the loopback. `requestVariables(claims)` are the variables of a job with the permission
 * `id-token: write`; `claimsOf(token, audience)` are those of a token that was issued here, else undefined.
 */
export async function startIdTokens() {
  const jobs = new Map();
  const issued = new Map();
  const { address, close } = await serve(({ headers, query }) => {
    const claims = jobs.get(headers.authorization);
    if (claims === undefined) return [401, { message: "No job has this token." }];
    const payload = { ...claims, aud: query.get("audience"), jti: randomUUID() };
    const parts = [{ alg: "none" }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
    const value = `${parts.join(".")}.signature`;
    issued.set(value, payload);
    return [200, { value }];
  });
  return {
    close,
    requestVariables: (claims) => {
      const token = randomUUID();
      jobs.set(`Bearer ${token}`, claims);
      return { ACTIONS_ID_TOKEN_REQUEST_URL: `${address}/?api-version=2`, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token };
    },
    claimsOf: (token, audience) => (issued.get(token)?.aud === audience ? issued.get(token) : undefined),
  };
}

/** Whether a registry that trusts release.yml in the environment `release` of `repository` accepts these claims. */
export function isTrusted(claims, repository) {
  return (
    claims?.repository === repository && claims.environment === "release" && /\/release\.yml@/.test(claims.workflow_ref)
  );
}
