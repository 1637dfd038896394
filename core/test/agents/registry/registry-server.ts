import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server of this machine alone, whose answers a test decides. */
export class RegistryServer implements AsyncDisposable {
  /** Method and path of each request, in order. */
  readonly requests: string[] = [];
  readonly #answers = new Map<string, Answer>();

  private constructor(private readonly server: Server) {}

  static async open(): Promise<RegistryServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const registry = new RegistryServer(server);
    server.on("request", (request, response) => registry.#receive(request, response));
    return registry;
  }

  /** The address of `path` here. */
  address(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  answer(path: string, answer: Answer): void {
    this.#answers.set(path, answer);
  }

  /** Answers with the JSON of `value`, and with 304 whoever has it already. */
  serve(path: string, value: unknown, etag?: string): void {
    this.answer(path, (request, response) => {
      if (etag !== undefined) response.setHeader("etag", etag);
      const isKnown = etag !== undefined && request.headers["if-none-match"] === etag;
      response.writeHead(isKnown ? 304 : 200, { "content-type": "application/json" });
      response.end(isKnown ? undefined : typeof value === "string" ? value : JSON.stringify(value));
    });
  }

  redirect(path: string, target: string, status = 302): void {
    this.answer(path, (_, response) => response.writeHead(status, { location: target }).end());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "";
    this.requests.push(`${request.method ?? ""} ${path}`);
    const answer = this.#answers.get(path);
    if (answer) answer(request, response);
    else response.writeHead(404).end("Not here");
  }
}
