import { isDoneWithin } from "../../../../base/until-aborted.js";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Logger } from "../../../../base/logger.js";
import { SymposiumError } from "../../../../base/symposium-error.js";
import { systemCode } from "../../../../base/node/atomic-write.js";
import { isLocal, LoopbackServer } from "../../../../base/node/loopback-server.js";

interface CallbackOptions {
  /** Required port, because it is part of the registered redirect URL. */
  readonly port?: number;
  /** Port to try first; any other port works. */
  readonly preferredPort?: number | undefined;
  /** Called with the URL parameters of a request. Resolves with the text of the page. */
  receive(parameters: URLSearchParams): Promise<string>;
}

const path = "/callback";
const farewellMs = 1_000;

/** Redirect target of the browser after a sign-in. Listens only on the loopback interface. */
export class CallbackListener implements AsyncDisposable {
  readonly #server: LoopbackServer;
  readonly #pages = new Set<Promise<void>>();

  private constructor(private readonly options: CallbackOptions) {
    this.#server = new LoopbackServer({ serve: (request, response) => this.#serve(request, response) }, Logger.silent);
  }

  /** Rejects with `sign-in-failed` if the required port is in use. */
  static async open(options: CallbackOptions): Promise<{ listener: CallbackListener; redirectUrl: string }> {
    const listener = new CallbackListener(options);
    const port = await listener.#listen();
    return { listener, redirectUrl: `http://127.0.0.1:${port}${path}` };
  }

  /** Waits until the last response is sent. */
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
        `The browser has to return to 127.0.0.1:${String(port)}, which can't be used (${systemCode(error)}).`,
        "Stop the program that uses this port, or register another port and set it as `oauth.callbackPort`.",
      );
    }
  }

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

/** Resolves when the response is written or the connection closed. */
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
