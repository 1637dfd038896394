import * as l10n from "@vscode/l10n";
import { type Event, extensions, type Uri, window } from "vscode";

interface GitApi {
  readonly state: "uninitialized" | "initialized";
  readonly onDidChangeState: Event<GitApi["state"]>;
  readonly repositories: readonly GitRepository[];
  getRepository(uri: Uri): GitRepository | null;
}

interface GitChange {
  readonly uri: Uri;
  readonly status: number;
}

export interface GitRepository {
  readonly rootUri: Uri;
  readonly inputBox: { value: string };
  readonly state: {
    readonly HEAD?: { readonly name?: string };
    readonly indexChanges: readonly GitChange[];
    readonly workingTreeChanges: readonly GitChange[];
    readonly untrackedChanges?: readonly GitChange[];
  };
  readonly ui: { readonly selected: boolean };
  /** Returns the diff of staged changes (`cached`) or of unstaged ones. */
  diff(cached?: boolean): Promise<string>;
  log(options: { maxEntries: number }): Promise<readonly { readonly message: string }[]>;
}

/** Returns the repository to use. Returns undefined if the user dismissed the choice, or, after a message, if there is no repository. */
export async function chooseRepository(argument: unknown): Promise<GitRepository | undefined> {
  const api = await gitApi();
  if (!api) {
    const text = l10n.t("This command needs the editor's Git extension, which is missing or disabled (git.enabled).");
    void window.showWarningMessage(text);
    return undefined;
  }
  const { repositories } = api;
  if (repositories.length === 0) {
    void window.showWarningMessage(l10n.t("There is no Git repository in this window."));
    return undefined;
  }
  const root = rootOf(argument);
  const named = repositories.find(({ rootUri }) => rootUri.toString() === root);
  if (named) return named;
  const [only, ...others] = repositories;
  if (others.length === 0) return only;
  const active = window.activeTextEditor?.document.uri;
  const items = repositories
    .toSorted((a, b) => Number(isOf(api, b, active)) - Number(isOf(api, a, active)))
    .map((repository) => ({ label: repository.rootUri.fsPath, repository }));
  return (await window.showQuickPick(items, { title: l10n.t("Which repository?") }))?.repository;
}

function isOf(api: GitApi, repository: GitRepository, uri: Uri | undefined): boolean {
  return uri !== undefined && api.getRepository(uri)?.rootUri.toString() === repository.rootUri.toString();
}

function rootOf(argument: unknown): string | undefined {
  if (typeof argument !== "object" || argument === null || !("rootUri" in argument)) return undefined;
  return String(argument.rootUri);
}

async function gitApi(): Promise<GitApi | undefined> {
  const extension = extensions.getExtension<{ readonly enabled: boolean; getAPI(version: 1): GitApi }>("vscode.git");
  if (!extension) return undefined;
  const exported = await extension.activate();
  if (!exported.enabled) return undefined;
  const api = exported.getAPI(1);
  if (api.state !== "initialized") {
    await new Promise<void>((resolve) => {
      const listening = api.onDidChangeState((state) => {
        if (state !== "initialized") return;
        listening.dispose();
        resolve();
      });
    });
  }
  return api;
}
