import * as l10n from "@vscode/l10n";
import { messageOf, parsedValue } from "@symposium-dev/core";
import { type FromSetUp, fromSetUpSchema, type SetUpFinding, type SetUpState } from "../../../protocol/set-up.js";
import type { AgentChoices, AgentOffer } from "../agents/agent-choices.js";
import type { SubcommandRunner } from "../agents/subcommand-runner.js";
import { takeMessage } from "../pages/page-message.js";
import { type CheckedFact, doctorFacts, doctorSchema } from "./doctor-findings.js";
import { agentFact, commandFact, type EditorFacts, editorFacts } from "./editor-facts.js";
import { type Remedy, remedyId, remedyLabel } from "./remedy.js";

interface SetUpEditor {
  facts(): EditorFacts;
  readonly version: string;
  acpAgentPath(): string;
  startsLanguageServers(): boolean;
  trustWords(): readonly string[];
  apply(remedy: Remedy): Promise<void>;
  copy(text: string): Promise<void>;
  say(message: string): void;
}

interface SetUpPageOptions {
  readonly editor: SetUpEditor;
  readonly choices: AgentChoices;
  readonly commandLine: SubcommandRunner;
  readonly registryProblem: () => string | undefined;
  readonly askRegistry: () => Promise<void>;
  /** Returns available updates, such as `Codex 1.0.0 → 1.1.0`. */
  readonly outdated: () => Promise<readonly string[]>;
  readonly changed: () => void;
}

export class SetUpPage implements Disposable {
  #agentId: string | undefined;
  #agentName: string | undefined;
  #facts: readonly CheckedFact[] = [];
  #running: AbortController | undefined;

  constructor(private readonly options: SetUpPageOptions) {}

  get state(): SetUpState {
    const findings = (isWanted: (fact: CheckedFact) => boolean): SetUpFinding[] =>
      this.#facts.filter(isWanted).map(findingOf);
    const isOptional = (fact: CheckedFact): boolean => fact.isOptional === true && fact.status === "warn";
    return {
      ...(this.#agentName === undefined ? {} : { agentName: this.#agentName }),
      isChecking: this.#running !== undefined,
      faults: findings(({ status }) => status === "fail"),
      warnings: findings((fact) => fact.status === "warn" && !isOptional(fact)),
      optional: findings(isOptional),
      right: findings(({ status }) => status === "ok"),
    };
  }

  /** Checks everything, including an agent (default: the current one). Aborts a running check. */
  async check(agentId?: string): Promise<void> {
    this.#agentId = agentId;
    this.#running?.abort(new Error(l10n.t("Checked again")));
    const abort = (this.#running = new AbortController());
    this.#facts = [];
    try {
      await this.#check(abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) {
        this.#add({
          about: l10n.t("The check"),
          status: "fail",
          text: messageOf(error),
          remedies: [{ kind: "show-log" }],
        });
      }
    } finally {
      if (this.#running === abort) {
        this.#running = undefined;
        this.options.changed();
      }
    }
  }

  /** Handles a message from the page; rejects invalid messages. */
  receive(value: unknown): Promise<void> {
    return takeMessage(value, {
      page: l10n.t("The setup page"),
      schema: fromSetUpSchema,
      act: (message) => this.#act(message),
      say: (text) => this.options.editor.say(text),
    });
  }

  [Symbol.dispose](): void {
    this.#running?.abort(new Error(l10n.t("The page was closed")));
    this.#running = undefined;
  }

  async #act(message: FromSetUp): Promise<void> {
    const { editor, changed } = this.options;
    switch (message.type) {
      case "set-up-ready":
        changed();
        return;
      case "check-again":
        return this.check(this.#agentId);
      case "show-log":
        return editor.apply({ kind: "show-log" });
      case "copy":
        return editor.copy(this.#text());
      case "act": {
        const remedy = this.#facts.flatMap(({ remedies }) => remedies).find((one) => remedyId(one) === message.id);
        if (!remedy) return;
        if (remedy.kind === "ask-registry") await this.options.askRegistry();
        else await editor.apply(remedy);
        if (changesSomething(remedy)) await this.check(this.#agentId);
      }
    }
  }

  async #check(signal: AbortSignal): Promise<void> {
    const { editor, commandLine, registryProblem, outdated } = this.options;
    const facts = editor.facts();
    this.#agentName = undefined;
    this.#add(...editorFacts(facts));
    // In Restricted Mode, no process may be started, not even the `symposium-acp-agent` command.
    if (!facts.isTrusted) return;
    const own = { version: editor.version, path: editor.acpAgentPath() };
    const answer = await commandLine.run(["--version"], { signal }).then(
      (text) => ({ text }),
      (error: unknown) => ({ problem: messageOf(error) }),
    );
    signal.throwIfAborted();
    this.#add(commandFact(answer, own));
    if ("problem" in answer) return;
    const chosen = await this.#chosen();
    signal.throwIfAborted();
    const missing = agentFact(chosen);
    if (missing) this.#add(missing);
    const problem = registryProblem();
    if (problem !== undefined) {
      this.#add({
        about: l10n.t("Registry"),
        status: "warn",
        text: l10n.t("could not be reached: {0}", problem),
        remedies: [{ kind: "ask-registry" }],
      });
    }
    const agent = missing || typeof chosen !== "object" ? undefined : chosen;
    this.#agentName = agent?.name;
    this.options.changed();
    await Promise.all([this.#checkUpdates(outdated(), signal), this.#checkByCommand(agent, facts.folder, signal)]);
  }

  async #checkUpdates(asked: Promise<readonly string[]>, signal: AbortSignal): Promise<void> {
    const outdated = await asked.catch(() => []);
    signal.throwIfAborted();
    if (outdated.length === 0) return;
    this.#add({ about: l10n.t("Updates"), status: "warn", text: outdated.join(", "), remedies: [{ kind: "update" }] });
  }

  async #checkByCommand(agent: AgentOffer | undefined, folder: string | undefined, signal: AbortSignal): Promise<void> {
    const { commandLine, editor } = this.options;
    const words = [
      "doctor",
      "--json",
      "--editor",
      ...(agent === undefined ? [] : [agent.spec]),
      ...editor.trustWords(),
    ];
    const report = await commandLine.report(words, { signal, ...(folder === undefined ? {} : { cwd: folder }) });
    const findings = doctorSchema.safeParse(parsedValue(report));
    if (!findings.success) throw new Error(report);
    signal.throwIfAborted();
    const context = { startsLanguageServers: editor.startsLanguageServers() };
    this.#add(...doctorFacts(findings.data, { ...context, ...(agent === undefined ? {} : { agentId: agent.id }) }));
  }

  async #chosen(): Promise<AgentOffer | string | undefined> {
    const { choices } = this.options;
    const id = this.#agentId ?? choices.currentId;
    const offers = await choices.list();
    return id === undefined || id === "" ? undefined : (offers.find((offer) => offer.id === id) ?? id);
  }

  #add(...facts: readonly CheckedFact[]): void {
    this.#facts = [...this.#facts, ...facts];
    this.options.changed();
  }

  #text(): string {
    const { faults, warnings, optional, right } = this.state;
    const lines = [...faults, ...warnings, ...optional, ...right].map(
      ({ status, about, text, remedy }) =>
        `${status.padEnd(4)}  ${about.replace(/:$/, "")}: ${text}${remedy === undefined ? "" : ` (${remedy})`}`,
    );
    return `Symposium ${this.options.editor.version}\n${lines.join("\n")}\n`;
  }
}

function findingOf({ about, status, text, remedy, remedies }: CheckedFact): SetUpFinding {
  const actions = remedies.map((one) => ({ id: remedyId(one), label: remedyLabel(one) }));
  return { about, status, text, ...(remedy === undefined ? {} : { remedy }), actions };
}

function changesSomething({ kind }: Remedy): boolean {
  return ["allow-project", "ask-registry", "choose-agent", "install-agent", "update"].includes(kind);
}
