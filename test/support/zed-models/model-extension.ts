import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MessageChannel, Worker } from "node:worker_threads";
import type { CallOutcome, ExtensionThread, HostCall } from "./host-calls.js";
import { ModelHost, type ModelHostOptions } from "./model-host.js";
import type { ZedEvent, ZedModel, ZedRequest } from "./model-records.js";

const provider = "symposium";

/** The provider extension, loaded in a thread of its own by a Zed that is played by {@link ModelHost}. */
export class ModelExtension implements AsyncDisposable {
  readonly #waiting = new Map<number, (outcome: CallOutcome) => void>();
  #calls = 0;

  private constructor(
    private readonly thread: Worker,
    readonly host: ModelHost,
  ) {
    thread.on("message", ({ id, ...outcome }: CallOutcome & { readonly id: number }) => {
      this.#waiting.get(id)?.(outcome);
      this.#waiting.delete(id);
    });
    thread.on("error", (failure) => this.#fail(failure.message));
    thread.on("exit", () => this.#fail("The thread of the extension has ended."));
  }

  /** Loads what jco has made in `folder`; `binFolder` is that of jco. */
  static async load(folder: string, binFolder: string, options: ModelHostOptions): Promise<ModelExtension> {
    const shim = createRequire(join(binFolder, "package.json")).resolve(
      "@bytecodealliance/preview2-shim/instantiation",
    );
    const { port1, port2 } = new MessageChannel();
    const answered = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const given: ExtensionThread = { folder, shim: pathToFileURL(shim).href, port: port2, answered };
    const host = new ModelHost(options);
    port1.on("message", (call: HostCall) => {
      void host.answer(call).then((outcome) => {
        port1.postMessage(outcome);
        Atomics.store(new Int32Array(answered), 0, 1);
        Atomics.notify(new Int32Array(answered), 0);
      });
    });
    const program = new URL("extension-thread.js", import.meta.url);
    const thread = new Worker(program, { workerData: given, transferList: [port2] });
    const extension = new ModelExtension(thread, host);
    thread.once("exit", () => port1.close());
    await extension.#outcome(0);
    return extension;
  }

  async providers(): Promise<unknown> {
    return this.#call("llmProviders");
  }

  async models(id = provider): Promise<readonly ZedModel[]> {
    return (await this.#call("llmProviderModels", id)) as readonly ZedModel[];
  }

  isAuthenticated(): Promise<unknown> {
    return this.#call("llmProviderIsAuthenticated", provider);
  }

  async authenticate(): Promise<void> {
    await this.#call("llmProviderAuthenticate", provider);
  }

  /** Resolves with the id of the stream. */
  async start(model: string, request: ZedRequest): Promise<string> {
    return String(await this.#call("llmStreamCompletionStart", provider, model, request));
  }

  async next(stream: string): Promise<ZedEvent | undefined> {
    return (await this.#call("llmStreamCompletionNext", stream)) as ZedEvent | undefined;
  }

  async close(stream: string): Promise<void> {
    await this.#call("llmStreamCompletionClose", stream);
  }

  /** All events of an answer, as Zed polls them. */
  async complete(model: string, request: ZedRequest): Promise<readonly ZedEvent[]> {
    const stream = await this.start(model, request);
    const events: ZedEvent[] = [];
    for (let event = await this.next(stream); event; event = await this.next(stream)) events.push(event);
    await this.close(stream);
    return events;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.thread.terminate();
  }

  /** Rejects with the error of a WIT result. */
  async #call(name: string, ...args: readonly unknown[]): Promise<unknown> {
    const id = ++this.#calls;
    const outcome = this.#outcome(id);
    this.thread.postMessage({ id, name, args });
    return outcome;
  }

  async #outcome(id: number): Promise<unknown> {
    const outcome = await new Promise<CallOutcome>((resolve) => this.#waiting.set(id, resolve));
    if ("failure" in outcome) throw new Error(outcome.failure);
    return outcome.value;
  }

  #fail(failure: string): void {
    for (const resolve of this.#waiting.values()) resolve({ failure });
    this.#waiting.clear();
  }
}
