import { request } from "node:http";
import { SymposiumError } from "../../base/symposium-error.js";
import { shimEnvironment } from "./loopback-bridge.js";
import { shimProtocol } from "./stdio-joint.js";

/**
 * The program behind a bridged stdio server: joins its own stdin and stdout to the conductor that started
 * the session. Resolves when either side has ended.
 */
export function runStdioShim(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const url = env[shimEnvironment.url];
  const token = env[shimEnvironment.token];
  if (url === undefined || token === undefined) {
    throw new SymposiumError(
      "invalid-arguments",
      `mcp-shim needs ${shimEnvironment.url} and ${shimEnvironment.token}.`,
      "It is started by agents, with the environment that the conductor gives them.",
    );
  }
  return new Promise((resolve, reject) => {
    const headers = { Connection: "Upgrade", Upgrade: shimProtocol, Authorization: `Bearer ${token}` };
    const joining = request(url, { headers });
    joining.on("error", reject);
    joining.once("response", (response) =>
      reject(new Error(`the conductor refused the connection (${response.statusCode ?? 0})`)),
    );
    joining.once("upgrade", (_response, socket, head) => {
      for (const stream of [socket, process.stdin, process.stdout]) stream.on("error", () => resolve());
      socket.once("close", () => resolve());
      if (head.length > 0) process.stdout.write(head);
      process.stdin.pipe(socket);
      socket.pipe(process.stdout);
    });
    joining.end();
  });
}
