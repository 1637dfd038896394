import { isDoneWithin } from "../../base/until-aborted.js";
import { type OversizeLine, defaultMaxLineBytes } from "../../base/line-splitter.js";
import type { Logger } from "../../base/logger.js";
import type { ChainFailure } from "../chain/failure.js";
import type { ConductorOptions } from "../chain/conductor.js";
import { Connection } from "../../base/rpc/connection.js";
import type { Peer } from "../../base/rpc/peer.js";
import { stdioChannel } from "../../base/node/stdio-channel.js";
import { lineClient, McpEndpoint } from "../../base/mcp/mcp-endpoint.js";
import type { McpServer } from "../../base/mcp/mcp-server.js";

/** Maximum time to send the last responses to a slow editor before exit, in milliseconds. */
const flushMs = 2_000;

interface ServeOptions {
  readonly logger: Logger;
  /** Maximum line length; longer lines are answered with an error. */
  readonly maxLineBytes?: number;
  readonly beforeWrite?: () => void;
}

/** Hooks for the component that {@link serveOverStdio} connects. The function reports failures on stderr itself. */
type ServeHooks = Required<
  Pick<ConductorOptions, "clientChannel" | "onFailure" | "reportsFailure" | "onWrappedCancel">
>;

interface Served extends AsyncDisposable {
  readonly fromClient: Peer;
}

/**
 * Serves one editor on stdin and stdout until its input ends, the chain fails or `stop` is aborted. All started processes are gone when
 * this resolves. Returns the exit code: 0 after the editor closed the connection, 1 after a failure.
 */
export async function serveOverStdio(
  connect: (client: Peer, hooks: ServeHooks) => Served,
  stop: AbortSignal,
  options: ServeOptions,
): Promise<number> {
  const maxLineBytes = options.maxLineBytes ?? defaultMaxLineBytes;
  let finish: (exitCode: number) => void = () => undefined;
  const finished = new Promise<number>((resolve) => (finish = resolve));
  const channel = stdioChannel({
    maxLineBytes,
    beforeWrite: () => options.beforeWrite?.(),
    handlers: {
      line: (line: string) => connection.receive(line),
      oversize: (line: OversizeLine) => connection.receiveOversize(line, maxLineBytes),
      end: () => finish(0),
    },
  });
  const inbound: Peer = {
    request: (request, reply) => served.fromClient.request(request, reply),
    notify: (notification) => served.fromClient.notify(notification),
  };
  const connection = new Connection({ send: (line) => channel.send(line), inbound, answersGarbage: true });
  const served = connect(connection, {
    clientChannel: channel,
    onFailure: (failure: ChainFailure) => {
      process.stderr.write(`symposium-acp-agent: ${failure.message}\n`);
      // Reading may be paused because of a slow component. Reading resumes here, so that pending requests get answers.
      channel.resume();
      finish(1);
    },
    reportsFailure: true,
    onWrappedCancel: (params) => connection.cancelIncoming(params),
  });
  stop.addEventListener("abort", () => finish(0), { once: true });
  const exitCode = await finished;
  await served[Symbol.asyncDispose]();
  await isDoneWithin(channel.flushed(), flushMs);
  channel[Symbol.dispose]();
  options.logger.debug("served", { exitCode });
  return exitCode;
}

/**
 * Serves one MCP client of any protocol revision on stdin and stdout, until its input ends or `stop` is aborted. Running requests are then
 * cancelled without an answer.
 */
export async function serveMcp(server: McpServer, stop: AbortSignal): Promise<void> {
  const endpoint = new McpEndpoint(server);
  const left = new AbortController();
  const leave = (): void => left.abort();
  const ended = new Promise<void>((resolve) => left.signal.addEventListener("abort", () => resolve(), { once: true }));
  const client = lineClient(endpoint, left.signal, (line) => channel.send(line));
  const channel = stdioChannel({ handlers: { ...client, end: leave } });
  if (stop.aborted) leave();
  stop.addEventListener("abort", leave, { once: true });
  await ended;
  stop.removeEventListener("abort", leave);
  endpoint[Symbol.dispose]();
  await isDoneWithin(channel.flushed(), flushMs);
  channel[Symbol.dispose]();
}
