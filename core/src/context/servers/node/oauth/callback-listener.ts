import { isDoneWithin } from "../../../../base/until-aborted.js";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Logger } from "../../../../base/logger.js";
import { SymposiumError } from "../../../../base/symposium-error.js";
import { systemCode } from "../../../../base/node/atomic-write.js";
import { isLocal, LoopbackServer } from "../../../../base/node/loopback-server.js";

interface CallbackOptions {
  /** Another port would not be the one that is registered. */
  readonly port?: number;
  /** Tried first; any other will do. */
  readonly preferredPort?: number | undefined;
  /** Called with the parameters of whoever comes, and resolves with what the page says. */
  receive(parameters: URLSearchParams): Promise<string>;
}

const path = "/callback";
const farewellMs = 1_000;

/** Where the browser returns to after a sign-in: an address of this machine that nobody else's machine can reach. */
export class CallbackListener implements AsyncDisposable {
  readonly #server: LoopbackServer;
  /** Pages that are being written. */
  readonly #pages = new Set<Promise<void>>();

  private constructor(private readonly options: CallbackOptions) {
    this.#server = new LoopbackServer({ serve: (request, response) => this.#serve(request, response) }, Logger.silent);
  }

  /** Rejects with `sign-in-failed` where the port that is registered is in use. */
  static async open(options: CallbackOptions): Promise<{ listener: CallbackListener; redirectUrl: string }> {
    const listener = new CallbackListener(options);
    const port = await listener.#listen();
    return { listener, redirectUrl: `http://127.0.0.1:${port}${path}` };
  }

  /** Lets the last page reach its reader. */
  async [Symbol.asyncDispose](): Promise<void> {
    await isDoneWithin(Promise.all(this.#pages), farewellMs);
    await this.#server[Symbol.asyncDispose]();
  }

  async #listen(): Promise<number> {
    const { port, preferredPort = 0 } = this.options;
    try {
      return await this.#server.listen(port ?? preferredPort);
    } catch (error) {
      if (port === undefined && preferredPort !== 0) return this.#server.listen(0);
      throw new SymposiumError(
        "sign-in-failed",
        `127.0.0.1:${String(port)}, where the browser is to return to, cannot be used (${systemCode(error)}).`,
        "End the program that uses this port, or register another one and set it as `oauth.callbackPort`.",
      );
    }
  }

  /** A browser comes here by a redirect. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = "" } = request.headers;
    const { url = "", method } = request;
    const parameters = url.startsWith(`${path}?`) ? new URLSearchParams(url.slice(path.length)) : undefined;
    if (!isLocal({ host }) || !parameters || method !== "GET") await answer(response, 404, "There is nothing here.");
    else {
      const page = this.options.receive(parameters).then((text) => answer(response, 200, text));
      this.#pages.add(page);
      await page.finally(() => this.#pages.delete(page));
    }
  }
}

/** Resolves once it is written, or nobody reads it. */
function answer(response: ServerResponse, status: number, text: string): Promise<void> {
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.writeHead(status, {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
      Connection: "close",
    });
    response.end(`${text}\n`);
  });
}
