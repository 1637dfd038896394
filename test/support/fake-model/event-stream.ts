import type { ServerResponse } from "node:http";

/** Server-sent events over one HTTP response. */
export class EventStream {
  constructor(private readonly response: ServerResponse) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  }

  /** Sends `data` as JSON, or as it is when it is a string; `event` names the event for formats that need it. */
  send(data: unknown, event?: string): void {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    this.response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`);
  }

  end(): void {
    this.response.end();
  }
}
