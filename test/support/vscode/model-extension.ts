import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { LmPart } from "@symposium-dev/core";
import { type JsonObject, parseObject } from "../json.js";
import type { AnswerEnd, ModelAnswer, ModelConsumer, ModelQuestion } from "../language-model/model-consumer.js";
import { repositoryRoot } from "../repository.js";
import { until } from "../until.js";

/** The folder of the extension, for windows that load it without installing it. */
export const modelExtension = join(repositoryRoot, "test", "fixtures", "vscode", "consumer");

const vendor = "symposium";

/** Something that the extension was told to do. */
interface Order {
  readonly part: (part: LmPart) => void;
  readonly end: (end: AnswerEnd) => void;
  /** That of the window that does it. */
  socket?: Socket;
}

/** A second extension in a real VS Code that uses language models; tests say what it does. */
export class ModelExtension implements ModelConsumer, AsyncDisposable {
  readonly #orders = new Map<number, Order>();
  #serial = 0;
  /** That of the window that opened last. */
  #socket: Socket | undefined;

  private constructor(
    /** Environment variables that the extension host needs. */
    readonly env: Readonly<Record<string, string>>,
    private readonly close: () => Promise<void>,
    /** The model that requests go to. */
    private readonly modelId: string,
  ) {}

  /** Listens for the extension, in windows that open later; the last one that opens is the one that gets orders. */
  static async listen(modelId: string): Promise<ModelExtension> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      extension.#connected(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const close = () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      });
    const extension = new ModelExtension({ SYMPOSIUM_TEST_CONSUMER: String(port) }, close, modelId);
    return extension;
  }

  ask({ messages, tools, conversationId }: ModelQuestion): ModelAnswer {
    const modelOptions = conversationId === undefined ? {} : { _conversationId: conversationId };
    const parts: LmPart[] = [];
    const order = { does: "ask", selector: { vendor, id: this.modelId }, messages, tools, modelOptions };
    const { id, ended } = this.#order(order, (part) => parts.push(part));
    return { parts, ended, cancel: () => void this.#order({ does: "cancel", of: id }) };
  }

  /** Changes a setting of the user while the window is open. */
  async set(key: string, value: unknown): Promise<void> {
    const { error } = await this.#order({ does: "setting", key, value }).ended;
    if (error !== undefined) throw new Error(`${key} cannot be set: ${error}`);
  }

  /** Waits until an extension of the window has registered a command, which is later than it is contributed. */
  async waitForRegistered(command: string): Promise<void> {
    await until(
      async () => (await this.#order({ does: "findCommand", command }).ended).error,
      (error) => error === undefined,
    );
  }

  /** The next order is for a window that opens from now on: the one before may not be gone yet. */
  forgetWindow(): void {
    this.#socket = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #order(members: JsonObject, part: (part: LmPart) => void = () => undefined) {
    const id = this.#serial++;
    const ended = new Promise<AnswerEnd>((end) => {
      const order: Order = { part, end };
      this.#orders.set(id, order);
      void until(
        () => this.#socket,
        (socket) => socket !== undefined,
      ).then(
        (socket) => {
          if (socket === undefined) return;
          order.socket = socket;
          socket.write(`${JSON.stringify({ id, ...members })}\n`);
        },
        () => end({ error: "No window has loaded the extension of the tests." }),
      );
    });
    return { id, ended };
  }

  #connected(socket: Socket): void {
    this.#socket = socket;
    socket.on("error", () => undefined);
    createInterface({ input: socket }).on("line", (line) => this.#receive(parseObject(line)));
    socket.once("close", () => {
      if (this.#socket === socket) this.#socket = undefined;
      // Whoever is gone with its window answers nothing any more.
      for (const order of this.#orders.values())
        if (order.socket === socket) order.end({ error: "The window is gone." });
    });
  }

  #receive(message: JsonObject): void {
    const id = Number(message["id"]);
    const order = this.#orders.get(id);
    if (message["ended"] !== true) {
      order?.part(message["part"] as LmPart);
      return;
    }
    this.#orders.delete(id);
    const { error } = message;
    order?.end(typeof error === "string" ? { error } : {});
  }
}
