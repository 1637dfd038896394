import type { Frame } from "./frame.js";
import { Json } from "./json.js";
import type { RpcError } from "./rpc-error.js";

abstract class Call {
  #params: Json | undefined;

  constructor(
    readonly method: string,
    params?: Json,
    readonly frame?: Frame,
  ) {
    this.#params = params;
  }

  get params(): Json | undefined {
    if (this.#params === undefined && this.frame?.params.isPresent === true) {
      this.#params = Json.ofText(this.frame.params.of(this.frame.text));
    }
    return this.#params;
  }
}

export class Notification extends Call {
  static of(method: string, params: unknown): Notification {
    return new Notification(method, Json.of(params));
  }

  get text(): string {
    return this.frame?.text ?? `{"jsonrpc":"2.0",${callMembers(this)}}`;
  }
}

/** Request without its id, because each hop assigns its own id. */
export class Request extends Call {
  static of(method: string, params: unknown): Request {
    return new Request(method, Json.of(params));
  }

  textWithId(id: string): string {
    return this.frame?.textWithId(id) ?? `{"jsonrpc":"2.0","id":${id},${callMembers(this)}}`;
  }
}

function callMembers(call: Call): string {
  const method = `"method":${JSON.stringify(call.method)}`;
  return call.params === undefined ? method : `${method},"params":${call.params.text}`;
}

/** Answer to a request: a result, which may be null, or an error. */
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
   * Reads a response's outcome and preserves additional members while unmodified. Treats `"error":null` next to a result as no error, since
   * some peers send that.
   */
  static ofFrame(frame: Frame): Outcome {
    const { error, result } = frame;
    const isError = error.isPresent && !(result.isPresent && error.of(frame.text) === "null");
    return new Outcome(isError, undefined, frame);
  }

  get json(): Json {
    if (this.#value !== undefined) return this.#value;
    const frame = this.frame;
    const span = frame && (this.isError ? frame.error : frame.result);
    return frame && span?.isPresent === true ? Json.ofText(span.of(frame.text)) : Json.null;
  }

  textWithId(id: string): string {
    if (this.frame?.id.isPresent === true) return this.frame.textWithId(id);
    return `{"jsonrpc":"2.0","id":${id},"${this.isError ? "error" : "result"}":${this.json.text}}`;
  }
}
