import { invalidArguments } from "../../../base/symposium-error.js";
import { type Members, textOf, stringOf } from "../../../base/rpc/json.js";
import type { RequestPermissionRequest, ToolCallUpdate } from "@agentclientprotocol/sdk/unstable";
import { canBypass } from "../../../base/acp/must-ask.js";
import { objectsOf, type Unchecked } from "../../../conductor/client/unchecked.js";
import { type CheckedPath, needsLeave } from "../../../base/safety/node/checked-path.js";
import type { LineInput } from "./line-input.js";
import { safeLine } from "./safe-text.js";
import type { SessionView } from "./session-view.js";
import type { Style } from "../style.js";
import type { Transcript } from "./transcript.js";

interface PermissionResult {
  readonly outcome: { readonly outcome: "selected"; readonly optionId: string } | { readonly outcome: "cancelled" };
}

interface PermissionDeskOptions {
  /** Policy chosen by the user. If absent, asks on a terminal and otherwise denies. */
  readonly policy: Exclude<PermissionPolicy, "ask"> | undefined;
  readonly isInteractive: boolean;
  /** Whether questions stay open for other clients of the host if the user leaves. */
  readonly isHosted: boolean;
  readonly input: LineInput;
  readonly view: SessionView;
  readonly transcript: Transcript;
  /** Called with each request and its answer. */
  readonly onDecided?: ((decided: Decided) => void) | undefined;
}

export interface Decided {
  /** Parameters of the permission request. */
  readonly request: Unchecked<RequestPermissionRequest> & Members;
  readonly isAllowed: boolean;
  /** Id of the chosen option; undefined if the request was cancelled. */
  readonly optionId: string | undefined;
}

const fileOptions = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];
const cancelled: PermissionResult = { outcome: { outcome: "cancelled" } };

const never = new Promise<never>(() => undefined);

/** Answers permission requests one at a time, by asking the user or by a policy that is then displayed. */
export class PermissionDesk {
  #last: Promise<unknown> = Promise.resolve();
  #withdrawal = new AbortController();

  constructor(private readonly options: PermissionDeskOptions) {}

  /** Resolves with the user's choice. Resolves with "cancelled" if the request is withdrawn, or if the input ends without a host. */
  decide(params: Unchecked<RequestPermissionRequest>, signal: AbortSignal): Promise<PermissionResult> {
    const { policy } = this.options;
    const isBypassed = policy === "allow" && !canBypass(params);
    return this.#decide(params, signal, policy === undefined || isBypassed ? this.#unruled : policy);
  }

  /**
   * Whether the agent may use a file of the session's folder. Sensitive files need permission, `--no` denies every write, and the allow
   * policy never covers writes to Git's files.
   */
  async allowsFile(file: CheckedPath, use: "read" | "write", signal: AbortSignal): Promise<boolean> {
    const { policy } = this.options;
    const isRefused = policy === "reject" && use === "write";
    if (!isRefused && !needsLeave(file, use)) return true;
    const isUserOnly = policy === "allow" && use === "write" && file.isGitInternal;
    const { sensitive } = file;
    const toolCall = {
      toolCallId: `file:${use}:${file.real}`,
      title: `${use === "read" ? "Read" : "Write"} ${file.path}${sensitive ? `, which ${sensitive.why}` : ""}`,
      kind: use === "read" ? "read" : "edit",
    };
    const rule = policy === undefined || isUserOnly ? this.#unruled : policy;
    const { outcome } = await this.#decide({ toolCall, options: fileOptions }, signal, rule);
    return outcome.outcome === "selected" && outcome.optionId === "allow";
  }

  get #unruled(): PermissionPolicy {
    return this.options.isInteractive ? "ask" : "reject";
  }

  async #decide(
    params: Unchecked<RequestPermissionRequest> & Members,
    signal: AbortSignal,
    policy: PermissionPolicy,
  ): Promise<PermissionResult> {
    const question = new PermissionQuestion(params);
    const result = await this.#decision(question, signal, policy);
    const optionId = result.outcome.outcome === "selected" ? result.outcome.optionId : undefined;
    const chosen = question.options.find((option) => option.optionId === optionId);
    this.options.onDecided?.({ request: params, isAllowed: chosen?.kind.startsWith("allow") === true, optionId });
    return result;
  }

  #decision(question: PermissionQuestion, signal: AbortSignal, policy: PermissionPolicy): Promise<PermissionResult> {
    if (policy !== "ask") return Promise.resolve(this.#decideByRule(question, policy));
    const either = new AbortController();
    for (const withdrawn of [signal, this.#withdrawal.signal]) {
      withdrawn.addEventListener("abort", () => either.abort(), { once: true });
    }
    const decision = this.#last.then(() => this.#ask(question, either.signal));
    this.#last = decision;
    return decision;
  }

  /** Withdraws all open questions, because the turn was cancelled. */
  withdraw(): void {
    this.#withdrawal.abort();
    this.#withdrawal = new AbortController();
  }

  #decideByRule(question: PermissionQuestion, policy: "allow" | "reject"): PermissionResult {
    const { view, transcript } = this.options;
    const option = question.chosenBy(policy);
    const verdict =
      option === undefined ? `cancelled, because no option can ${policy} it` : `${policy}ed ("${option.name}")`;
    transcript.warn(`permission: ${view.toolCall(question.toolCall).title}: ${verdict}`);
    return resultOf(option);
  }

  async #ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionResult> {
    const { input, view, transcript } = this.options;
    const isWithdrawn = (): boolean => signal.aborted;
    if (isWithdrawn()) return cancelled;
    this.#show(question);
    view.hold();
    try {
      for (;;) {
        const line = await input.ask(transcript.style.bold(`allow? [${question.answers}] `), signal);
        if (line === undefined && this.options.isHosted && !isWithdrawn()) return await never;
        if (line === undefined) {
          transcript.remark("permission: cancelled");
          return cancelled;
        }
        const option = question.answeredWith(line);
        if (option) return resultOf(option);
        transcript.remark(`"${line.trim()}" isn't a valid answer; type ${question.answers}`);
      }
    } finally {
      view.release();
    }
  }

  #show(question: PermissionQuestion): void {
    const { view, transcript } = this.options;
    const { style } = transcript;
    const toolCall = view.toolCall(question.toolCall);
    transcript.lines([
      style.bold(`? [${toolCall.kind}] ${toolCall.title}`),
      ...toolCall.details(style),
      ...question.options.map((option, index) => `  ${index + 1}. ${optionText(option, style)}`),
    ]);
  }
}

/** Adds the option's kind to its name, unless the name already says the same. */
function optionText({ name, kind }: PermissionOption, style: Style): string {
  const isKnown = /^(?:allow|reject)_(?:once|always)$/.test(kind);
  const meaning = isKnown ? kind.replace("_", " ") : "unknown kind";
  return name.toLowerCase() === meaning ? name : `${name} ${style.dim(`(${meaning})`)}`;
}

function resultOf(option: PermissionOption | undefined): PermissionResult {
  return option === undefined ? cancelled : { outcome: { outcome: "selected", optionId: option.optionId } };
}

export type PermissionPolicy = "ask" | "allow" | "reject";

/** Returns the policy of the options `--yes` and `--no`; undefined without them. */
export function permissionOf({
  yes = false,
  no = false,
}: {
  readonly yes?: boolean;
  readonly no?: boolean;
}): Exclude<PermissionPolicy, "ask"> | undefined {
  if (yes && no) {
    throw invalidArguments("--yes and --no can't be used together.", "Give only one of them.");
  }
  if (yes) return "allow";
  return no ? "reject" : undefined;
}

interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

/** Option kinds that a policy or a typed letter may choose; the first available kind wins. */
const kindsFor = {
  allow: ["allow_once", "allow_always"],
  reject: ["reject_once", "reject_always"],
} as const;

/** Question for `session/request_permission`. Options are chosen by number or kind, never by position alone. */
class PermissionQuestion {
  readonly toolCall: Unchecked<ToolCallUpdate>;
  readonly options: readonly PermissionOption[];

  constructor(params: Unchecked<RequestPermissionRequest>) {
    this.toolCall = params.toolCall ?? {};
    this.options = objectsOf(params.options).flatMap((option) => {
      const optionId = stringOf(option.optionId);
      const name = safeLine(stringOf(option.name) ?? optionId ?? "");
      return optionId === undefined ? [] : [{ optionId, name, kind: textOf(option.kind) }];
    });
  }

  chosenBy(policy: "allow" | "reject"): PermissionOption | undefined {
    return this.#firstOf(kindsFor[policy]);
  }

  /** Parses a typed answer: the option's number, or y and n for allow_once and reject_once. */
  answeredWith(line: string): PermissionOption | undefined {
    const answer = line.trim().toLowerCase();
    if (/^\d+$/.test(answer)) return this.options[Number(answer) - 1];
    if (answer === "y" || answer === "yes") return this.#firstOf(["allow_once"]);
    if (answer === "n" || answer === "no") return this.#firstOf(["reject_once"]);
    return undefined;
  }

  /** Lists the answers that {@link answeredWith} accepts, for the prompt: `1-4, y, n`. */
  get answers(): string {
    const letters = ["y", "n"].filter((letter) => this.answeredWith(letter) !== undefined);
    return [this.options.length === 1 ? "1" : `1-${this.options.length}`, ...letters].join(", ");
  }

  #firstOf(kinds: readonly string[]): PermissionOption | undefined {
    for (const kind of kinds) {
      const option = this.options.find((candidate) => candidate.kind === kind);
      if (option) return option;
    }
    return undefined;
  }
}
