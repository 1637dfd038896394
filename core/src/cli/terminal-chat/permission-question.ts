import { type Members, objectMember, objectsMember, textMember } from "./members.js";
import { safeLine } from "./safe-text.js";

/** What answers permission requests: the user, or a rule. */
export type PermissionPolicy = "ask" | "allow" | "reject";

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

/** The kinds that a rule, or a letter, may choose, the first one that is offered. */
const kindsFor = {
  allow: ["allow_once", "allow_always"],
  reject: ["reject_once", "reject_always"],
} as const;

/** `session/request_permission` as a question: options are chosen by number or by kind, never by position alone. */
export class PermissionQuestion {
  readonly toolCall: Members;
  readonly options: readonly PermissionOption[];

  constructor(params: Members) {
    this.toolCall = objectMember(params, "toolCall") ?? {};
    this.options = objectsMember(params, "options").flatMap((option) => {
      const optionId = textMember(option, "optionId");
      const name = safeLine(textMember(option, "name") ?? optionId ?? "");
      return optionId === undefined ? [] : [{ optionId, name, kind: textMember(option, "kind") ?? "" }];
    });
  }

  /** The option that a rule chooses, by its kind; undefined when none is offered. */
  chosenBy(policy: "allow" | "reject"): PermissionOption | undefined {
    return this.#firstOf(kindsFor[policy]);
  }

  /** The option that a typed answer means: its number, or y and n for allow_once and reject_once. */
  answeredWith(line: string): PermissionOption | undefined {
    const answer = line.trim().toLowerCase();
    if (/^\d+$/.test(answer)) return this.options[Number(answer) - 1];
    if (answer === "y" || answer === "yes") return this.#firstOf(["allow_once"]);
    if (answer === "n" || answer === "no") return this.#firstOf(["reject_once"]);
    return undefined;
  }

  /** The answers that {@link answeredWith} takes, for the prompt: `1-4, y, n`. */
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
