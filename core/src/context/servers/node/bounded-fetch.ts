import type { FetchLike } from "@modelcontextprotocol/client";
import { MessageRateLimit } from "./message-rate-limit.js";

interface BoundedFetchOptions {
  readonly fetch: FetchLike;
  /** Maximum size of a response or of one stream event, in bytes. */
  readonly maxMessageBytes: number;
  /** Called when a limit is exceeded; the rest of the response isn't read. */
  onFault(): void;
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/**
 * `fetch` with size limits for the SDK's transports, which buffer responses and stream events without limit. An oversized message or a
 * flood of events closes the connection.
 */
export class BoundedFetch {
  readonly #unasked = new MessageRateLimit();
  #fault: Error | undefined;

  constructor(private readonly options: BoundedFetchOptions) {}

  get fault(): Error | undefined {
    return this.#fault;
  }

  readonly fetch: FetchLike = async (url, init) => {
    const response = await this.options.fetch(url, init);
    if (response.body === null) return response;
    if (response.status === 401) return this.#boundRefusal(response, response.body);
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(isStream ? this.#ofEvents() : this.#ofBytes());
    const bounded = new Response(body, { status, statusText, headers: [...headers] });
    // The SDK uses the response's `url` to check redirects.
    Object.defineProperty(bounded, "url", { value: response.url });
    return bounded;
  };

  /**
   * Limits the size that the response's `text()` reads; the SDK reads nothing else from a refusal. Returns the same response object, since
   * sign-in uses it as a key.
   */
  #boundRefusal(response: Response, body: NonNullable<Response["body"]>): Response {
    const bounded = new Response(body.pipeThrough(this.#ofBytes()));
    return Object.defineProperty(response, "text", { value: () => bounded.text() });
  }

  #ofBytes(): TransformStream<Uint8Array, Uint8Array> {
    let bytes = 0;
    return new TransformStream({
      transform: (chunk, controller) => {
        bytes += chunk.length;
        this.#checkLength(bytes);
        controller.enqueue(chunk);
      },
    });
  }

  /** Events end with an empty line; lines end with LF, CR or CRLF. */
  #ofEvents(): TransformStream<Uint8Array, Uint8Array> {
    let eventBytes = 0;
    let lineBytes = 0;
    let before = 0;
    return new TransformStream({
      transform: (chunk, controller) => {
        for (const byte of chunk) {
          const isLineEnd = byte === lineFeed || byte === carriageReturn;
          if (!isLineEnd) lineBytes++;
          else if (byte === carriageReturn || before !== carriageReturn) {
            if (lineBytes > 0) eventBytes += lineBytes;
            else if (eventBytes > 0) {
              eventBytes = 0;
              this.#failWith(this.#unasked.add());
            }
            lineBytes = 0;
          }
          before = byte;
        }
        this.#checkLength(eventBytes + lineBytes);
        controller.enqueue(chunk);
      },
    });
  }

  #checkLength(bytes: number): void {
    const { maxMessageBytes } = this.options;
    if (bytes > maxMessageBytes) this.#failWith(new Error(`it sent a message of more than ${maxMessageBytes} bytes.`));
  }

  /** Throws the given fault, which cancels the stream. */
  #failWith(fault: Error | undefined): void {
    if (!fault) return;
    this.#fault ??= fault;
    this.options.onFault();
    throw fault;
  }
}
