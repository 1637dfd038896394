import { endOnSignals } from "../node/end-on-signals.js";
import { serveOverStdio } from "../node/serve-stdio.js";
import type { Environment } from "./environment.js";

/** Serves one editor over stdio with what `connect` makes, until it leaves; ends everything, signals included. */
export async function serveChain(
  environment: Environment,
  connect: Parameters<typeof serveOverStdio>[0],
): Promise<number> {
  const stop = new AbortController();
  const served = serveOverStdio(connect, stop.signal, {
    logger: environment.logger.child("stdio"),
    maxLineBytes: environment.settings.maxMessageBytes,
  });
  using _signals = endOnSignals({
    end: async () => {
      stop.abort();
      await served;
      await environment[Symbol.asyncDispose]();
    },
    kill: () => environment.kill(),
  });
  const exitCode = await served;
  await environment[Symbol.asyncDispose]();
  return exitCode;
}
