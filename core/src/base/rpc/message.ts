import type { Frame } from "./frame.js";
import { Json } from "./json.js";
import type { RpcError } from "./rpc-error.js";

/** A method with its parameters: what requests and notifications have in common. Immutable. */
abstract class Call {
  #params: Json | undefined;

  constructor(
    readonly method: string,
    params?: Json,
    /** The wire text this came from, when nothing of it was changed. */
    readonly frame?: Frame,
  ) {
    this.#params = params;
  }

  /** The parameters, or undefined when the message has none. */
  get params(): Json | undefined {
    if (this.#params === undefined && this.frame?.params.isPresent === true) {
      this.#params = Json.ofText(this.frame.params.of(this.frame.text));
    }
    return this.#params;
  }
}

export class Notification extends Call {
  /** A notification made here, of a value that `JSON.stringify` can write. */
  static of(method: string, params: unknown): Notification {
    return new Notification(method, Json.of(params));
  }

  /** The line to send. */
  get text(): string {
    return this.frame?.text ?? `{"jsonrpc":"2.0",${callMembers(this)}}`;
  }
}

/** A request without its id: ids belong to a hop, and each hop gives its own. */
export class Request extends Call {
  static of(method: string, params: unknown): Request {
    return new Request(method, Json.of(params));
  }

  /** The line to send under `id` (JSON text). */
  textWithId(id: string): string {
    return this.frame?.textWithId(id) ?? `{"jsonrpc":"2.0","id":${id},${callMembers(this)}}`;
  }
}

function callMembers(call: Call): string {
  const method = `"method":${JSON.stringify(call.method)}`;
  return call.params === undefined ? method : `${method},"params":${call.params.text}`;
}

/** The answer to a request: a result (null counts) or an error. */
export class Outcome {
  readonly #value: Json | undefined;

  private constructor(
    readonly isError: boolean,
    value: Json | undefined,
    private readonly frame: Frame | undefined,
  ) {
    this.#value = value;
  }

  static result(result: Json): Outcome {
    return new Outcome(false, result, undefined);
  }

  /** A result made here, of a value that `JSON.stringify` can write. */
  static of(result: unknown): Outcome {
    return new Outcome(false, Json.of(result), undefined);
  }

  static error(error: RpcError): Outcome {
    return new Outcome(true, error.json, undefined);
  }

  static errorJson(error: Json): Outcome {
    return new Outcome(true, error, undefined);
  }

  /**
   * The outcome that a response carries. Extra members travel with it while nobody changes it. Some peers write
   * `"error":null` beside a result: that is no error.
   */
  static ofFrame(frame: Frame): Outcome {
    const { error, result } = frame;
    const isError = error.isPresent && !(result.isPresent && error.of(frame.text) === "null");
    return new Outcome(isError, undefined, frame);
  }

  /** The result, or the error object. */
  get json(): Json {
    if (this.#value !== undefined) return this.#value;
    const frame = this.frame;
    const span = frame && (this.isError ? frame.error : frame.result);
    return frame && span?.isPresent === true ? Json.ofText(span.of(frame.text)) : Json.null;
  }

  /** The line that answers `id` (JSON text). */
  textWithId(id: string): string {
    if (this.frame?.id.isPresent === true) return this.frame.textWithId(id);
    return `{"jsonrpc":"2.0","id":${id},"${this.isError ? "error" : "result"}":${this.json.text}}`;
  }
}
