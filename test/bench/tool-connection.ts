import { Agent, request } from "node:http";
import { arrayOf, objectOf, stringOf } from "../support/json.js";

/** A tool call, and what its answer has. */
interface MeasuredCall {
  readonly params: { readonly name: string; readonly arguments: object };
  readonly answer: string;
}

/** One kept-alive HTTP connection to an exposed server. */
export class ToolConnection implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  readonly #authorization: string;

  constructor(declaration: unknown) {
    const { url, headers } = objectOf(declaration);
    this.#url = stringOf(url);
    this.#authorization = stringOf(objectOf(arrayOf(headers)[0])["value"]);
  }

  async callTool({ params, answer: expected }: MeasuredCall): Promise<void> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const answer = await this.#post(body);
    if (!answer.includes(expected)) throw new Error(`The bridge answered: ${answer}`);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #post(body: string): Promise<string> {
    const headers = {
      Authorization: this.#authorization,
      "Content-Type": "application/json",
      "Content-Length": body.length,
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-11-25",
    };
    return new Promise((resolve, reject) => {
      const call = request(this.#url, { method: "POST", agent: this.#agent, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve(text));
        response.on("error", reject);
      });
      call.on("error", reject);
      call.end(body);
    });
  }
}
