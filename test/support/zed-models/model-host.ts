import type { CallOutcome, HostCall, ZedHttpRequest } from "./host-calls.js";

export interface ModelHostOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The provider's credential in Zed's keychain. */
  readonly credential?: string;
  /** Credential that the user enters when prompted. If absent, the user declines the prompt. */
  readonly entered?: string;
  /** How many bytes of a response are given at a time; as many as Zed gives when absent. */
  readonly chunkBytes?: number;
}

/** Zed reads responses into a buffer of this size. */
const usualChunkBytes = 8_192;

interface OpenResponse {
  readonly chunks: AsyncGenerator<Uint8Array, void>;
  readonly left: AbortController;
}

/** Zed as far as a provider of language models asks it for something: credentials, variables, and real HTTP. */
export class ModelHost {
  /** The bodies that were sent, as text. */
  readonly bodies: string[] = [];
  /** Credential prompts that the user saw. */
  readonly questions: string[] = [];
  readonly #responses = new Map<number, OpenResponse>();
  #opened = 0;
  #credential: string | undefined;

  constructor(private readonly options: ModelHostOptions) {
    this.#credential = options.credential;
  }

  get credential(): string | undefined {
    return this.#credential;
  }

  /** Responses that the extension has not let go of. */
  get openResponses(): number {
    return this.#responses.size;
  }

  async answer({ name, args: [first, second, third] }: HostCall): Promise<CallOutcome> {
    switch (name) {
      case "getEnvVar":
        return { value: this.options.env?.[String(first)] };
      case "getCredential":
        return { value: this.#credential };
      case "deleteCredential":
        this.#credential = undefined;
        return { value: undefined };
      case "requestCredential":
        this.questions.push(`${String(second)}: ${String(third)}`);
        this.#credential = this.options.entered;
        return { value: this.#credential !== undefined };
      case "fetchStream":
        return this.#fetch(first as ZedHttpRequest);
      case "nextChunk":
        return this.#nextChunk(Number(first));
      case "hangUp":
        this.#hangUp(Number(first));
        return { value: undefined };
      default:
        return { failure: `Zed has no ${name}.` };
    }
  }

  /** Resolves, as Zed's own does, as soon as the head of the response is there, whatever its status. */
  async #fetch({ method, url, headers, body }: ZedHttpRequest): Promise<CallOutcome> {
    if (body) this.bodies.push(new TextDecoder().decode(body));
    const left = new AbortController();
    const sent = {
      method: method.toUpperCase(),
      headers: headers.map(([name, value]): [string, string] => [name, value]),
    };
    try {
      const response = await fetch(url, { ...sent, ...(body && { body }), signal: left.signal });
      const id = ++this.#opened;
      this.#responses.set(id, { chunks: this.#chunksOf(response), left });
      return { value: id };
    } catch (failure) {
      return { failure: messageOf(failure) };
    }
  }

  async #nextChunk(id: number): Promise<CallOutcome> {
    try {
      const next = await this.#responses.get(id)?.chunks.next();
      return { value: next?.done === false ? next.value : undefined };
    } catch (failure) {
      return { failure: messageOf(failure) };
    }
  }

  async *#chunksOf(response: Response): AsyncGenerator<Uint8Array, void> {
    const { chunkBytes = usualChunkBytes } = this.options;
    const body: ReadableStream<Uint8Array> | null = response.body;
    for await (const read of body ?? []) {
      for (let at = 0; at < read.length; at += chunkBytes) yield read.slice(at, at + chunkBytes);
    }
  }

  #hangUp(id: number): void {
    this.#responses.get(id)?.left.abort();
    this.#responses.delete(id);
  }
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
