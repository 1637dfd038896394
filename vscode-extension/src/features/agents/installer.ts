import * as l10n from "@vscode/l10n";
import { messageOf } from "@symposium-dev/core";
import type { ComponentKind, Installations } from "./installations.js";

export interface Work {
  readonly label: string;
  readonly percent?: number;
}

export function componentKey(kind: ComponentKind, id: string): string {
  return `${kind} ${id}`;
}

/** Parses a progress line of the command, e.g. `[####----]  42%  1.2 MB of 3 MB  Downloading x`. */
function workOf(line: string): Work {
  const match = /^\[[#-]*\]\s+(\d+)%\s+(.*)$/.exec(line);
  if (!match) return { label: line };
  return { label: match[2] ?? line, percent: Number(match[1]) };
}

export interface InstallDialogs {
  /** Returns true if the user agrees to install `name`. `what` lists what is fetched and run; `warning` explains why it won't run here. */
  confirmInstall(name: string, what: string, warning?: string): Promise<boolean>;
  confirmRemove(name: string): Promise<boolean>;
  withProgress<T>(title: string, abort: AbortController, run: (report: (work: Work) => void) => Promise<T>): Promise<T>;
  failed(message: string): void;
}

export class ComponentInstaller {
  readonly work = new Map<string, Work>();
  readonly failures = new Map<string, string>();
  readonly #running = new Map<string, { readonly abort: AbortController; readonly done: Promise<boolean> }>();

  constructor(
    private readonly installations: Installations,
    private readonly dialogs: InstallDialogs,
    private readonly changed: () => void,
  ) {}

  /**
   * Ensures that a component can start, asking before anything is fetched. `what` is an id or a description; returns false if the user
   * declined or the installation failed, which the user has seen.
   */
  async ensure(kind: ComponentKind, id: string, name: string, what: string): Promise<boolean> {
    const running = this.#running.get(componentKey(kind, id));
    if (running) return running.done;
    let needs;
    try {
      needs = await this.installations.needs(kind, what);
    } catch (error) {
      this.#fail(kind, id, messageOf(error));
      return false;
    }
    if (!needs.needsInstallation) return true;
    if (!(await this.dialogs.confirmInstall(name, needs.what ?? what, needs.warning))) return false;
    return this.install(kind, id, name, what);
  }

  install(kind: ComponentKind, id: string, name: string, what: string): Promise<boolean> {
    return this.#run(kind, id, l10n.t("Installing {0}", name), async (options) => {
      await this.installations.install(kind, what, options);
    });
  }

  update(kind: ComponentKind, id: string, name: string): Promise<boolean> {
    return this.#run(kind, id, l10n.t("Updating {0}", name), (options) => this.installations.update(kind, id, options));
  }

  rollback(kind: ComponentKind, id: string, name: string): Promise<boolean> {
    return this.#run(kind, id, l10n.t("Rolling {0} back to its previous version", name), () =>
      this.installations.rollback(kind, id),
    );
  }

  pin(kind: ComponentKind, id: string, name: string, version: string | undefined): Promise<boolean> {
    return this.#run(kind, id, l10n.t("Pinning {0}", name), () => this.installations.pin(kind, id, version));
  }

  confirmRemove(name: string): Promise<boolean> {
    return this.dialogs.confirmRemove(name);
  }

  async remove(kind: ComponentKind, id: string, name: string): Promise<boolean> {
    if (!(await this.confirmRemove(name))) return false;
    return this.#run(kind, id, l10n.t("Removing {0}", name), () => this.installations.remove(kind, id));
  }

  cancel(kind: ComponentKind, id: string): void {
    this.#running.get(componentKey(kind, id))?.abort.abort(new Error(l10n.t("Cancelled")));
  }

  #run(
    kind: ComponentKind,
    id: string,
    title: string,
    job: (options: { signal: AbortSignal; onLine: (line: string) => void }) => Promise<void>,
  ): Promise<boolean> {
    const key = componentKey(kind, id);
    const running = this.#running.get(key);
    if (running) return running.done;
    const abort = new AbortController();
    const done = this.dialogs
      .withProgress(title, abort, async (report) => {
        const show = (work: Work): void => {
          this.work.set(key, work);
          report(work);
          this.changed();
        };
        this.failures.delete(key);
        show({ label: title });
        await job({ signal: abort.signal, onLine: (line) => show(workOf(line)) });
        return true;
      })
      .catch((error: unknown) => {
        if (!abort.signal.aborted) this.#fail(kind, id, messageOf(error));
        return false;
      })
      .finally(() => {
        this.#running.delete(key);
        this.work.delete(key);
        this.changed();
      });
    this.#running.set(key, { abort, done });
    return done;
  }

  #fail(kind: ComponentKind, id: string, message: string): void {
    this.failures.set(componentKey(kind, id), message);
    this.dialogs.failed(message);
    this.changed();
  }
}
