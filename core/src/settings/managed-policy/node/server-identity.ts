import type { ServerIdentity } from "../managed-policy.js";

/** A server's start, with all variables replaced. */
export type StartedServer =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly type: "http" | "sse"; readonly url: string };

/**
 * Returns what a policy compares: a URL, or the SHA-256 digest of a command. To compute the digest in a shell, run
 * `printf '%s\0' COMMAND ARGUMENT... | sha256sum`.
 */
export async function serverIdentity(server: StartedServer): Promise<ServerIdentity> {
  if (server.type !== "stdio") return { url: server.url };
  const { createHash } = await import("node:crypto");
  const words = [server.command, ...server.args].map((word) => `${word}\0`).join("");
  return { sha256: createHash("sha256").update(words).digest("hex"), variables: Object.keys(server.env) };
}
