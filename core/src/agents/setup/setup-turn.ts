import { Outcome, type Request } from "../../rpc/message.js";
import type { Reply } from "../../rpc/peer.js";
import { textUpdate } from "./session-update.js";
import type { ChosenChain } from "./chosen-chain.js";
import { promptText } from "./choice.js";
import type { Peer } from "../../rpc/peer.js";

/** One prompt turn that the setup agent answers itself, or hands over to the agent that was chosen. */
export class SetupTurn {
  /** What the user typed. */
  readonly text: string;
  #isOver = false;
  #giveUp: () => void = () => undefined;
  readonly #over: Promise<undefined>;
  #resolveOver: () => void = () => undefined;

  constructor(
    private readonly sessionId: string,
    private readonly request: Request,
    private readonly reply: Reply,
    private readonly client: Peer,
  ) {
    this.text = promptText(request.params);
    this.#over = new Promise((resolve) => {
      this.#resolveOver = () => resolve(undefined);
    });
  }

  /** Whether it was answered, cancelled or handed over. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What `promise` resolves with, or undefined when the turn is over sooner. */
  async until<T>(promise: Promise<T>): Promise<T | undefined> {
    const value = await Promise.race([promise, this.#over]);
    return this.#isOver ? undefined : value;
  }

  /** What a cancellation has to stop, in place of what was given before. */
  onCancel(giveUp: () => void): void {
    this.#giveUp = giveUp;
  }

  /** Adds a paragraph to the answer. */
  say(text: string): void {
    if (!this.#isOver) this.client.notify(textUpdate(this.sessionId, `${text}\n\n`));
  }

  /** Ends the turn with a last paragraph. */
  finish(text: string): void {
    this.say(text);
    this.#end({ stopReason: "end_turn" });
  }

  /** Ends the turn as cancelled; once handed over, the agent is asked to. */
  cancel(): void {
    const giveUp = this.#giveUp;
    this.#end({ stopReason: "cancelled" });
    giveUp();
  }

  /** Lets the agent answer the prompt, unless the turn is over. */
  forward(chain: ChosenChain): void {
    if (this.#isOver) return;
    this.#close();
    this.#giveUp = chain.relay(this.request, this.reply);
  }

  #end(result: { stopReason: "end_turn" | "cancelled" }): void {
    if (this.#isOver) return;
    this.#close();
    this.reply(Outcome.of(result));
  }

  #close(): void {
    this.#isOver = true;
    this.#giveUp = () => undefined;
    this.#resolveOver();
  }
}
