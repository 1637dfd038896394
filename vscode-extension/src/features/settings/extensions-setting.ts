import * as l10n from "@vscode/l10n";
import { asObject, SymposiumError } from "@symposium-dev/core";
import { checkComponent, describe, type Setting } from "./setting.js";

/** Extension of the chain, from `symposium.extensions`. The list's first extension is next to the editor. */
export interface ChainExtension {
  readonly id: string;
  readonly name: string;
  readonly isEnabled: boolean;
  readonly source: "built-in" | "registry" | "custom";
  readonly spec: string;
  /** True if the command must first install the component that `spec` describes. The installed component is then started by its id. */
  readonly needsInstallation: boolean;
  /** The user's original entry, so that rewriting the list loses nothing. */
  readonly entry: Readonly<Record<string, unknown>>;
}

export const builtInExtensions: readonly {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}[] = [
  { id: "sparkle", name: l10n.t("Sparkle"), description: l10n.t("A collaborator that remembers how you work") },
  {
    id: "ferris",
    name: l10n.t("Ferris"),
    description: l10n.t("Sources of the exact crate versions this workspace uses"),
  },
  { id: "cargo", name: l10n.t("Cargo"), description: l10n.t("Cargo's output without the noise") },
  {
    id: "ide-operations",
    name: l10n.t("IDE operations"),
    description: l10n.t("The editor's own code navigation for agents"),
  },
  {
    id: "tests",
    name: l10n.t("Tests"),
    description: l10n.t("Runs tests, type checks and linters, and reports failures without the noise"),
  },
  {
    id: "sources",
    name: l10n.t("Sources"),
    description: l10n.t("Sources of the exact package versions that your files import"),
  },
];

export const defaultExtensions: readonly ChainExtension[] = builtInExtensions.map(({ id, name }) => ({
  id,
  name,
  isEnabled: true,
  source: "built-in",
  spec: id,
  needsInstallation: false,
  entry: { id, _enabled: true, _source: "built-in" },
}));

export interface WorkspaceList {
  readonly file: string;
  /** Extension list from the user's own settings. The workspace's list overrides it. */
  readonly own: unknown;
}

/** `symposium.extensions`: `[{id, _enabled, _source, name?, distribution?}]`. `enabled` is accepted for `_enabled`. */
export const extensionsSetting: Setting<readonly ChainExtension[]> = {
  contribution: {
    type: "array",
    default: defaultExtensions.map(({ entry }) => entry),
    scope: "machine-overridable",
    items: { type: "object", required: ["id"] },
    markdownDescription: l10n.t(
      'Extensions that give agents new abilities, in the order of the chain: the first is closest to the editor. Each is `{ "id": "…", "_enabled": true, "_source": "built-in" | "registry" | "custom" }`. A custom extension also has its `distribution`.',
    ),
  },
  read(value, report) {
    if (!Array.isArray(value)) {
      report(l10n.t("must be a list, got {0}.", describe(value)), l10n.t("The built-in extensions are used."));
      return defaultExtensions;
    }
    const extensions = new Map<string, ChainExtension>();
    for (const [index, item] of value.entries()) {
      const entry = asObject(item);
      const id = entry?.["id"];
      if (!entry || typeof id !== "string" || id === "") {
        report(l10n.t('[{0}] has no "id".', index), l10n.t("It is skipped."));
        continue;
      }
      const isNamed = entry["distribution"] === undefined && entry["options"] === undefined;
      const spec = isNamed ? id : JSON.stringify(withoutMarks(entry));
      const check = checkComponent(spec);
      if (check.kind === "problem") {
        report(l10n.t(': "{0}" can\'t be used: {1}', id, check.message), check.hint);
        continue;
      }
      if (extensions.has(id)) {
        report(l10n.t('has two extensions with the id "{0}".', id), l10n.t("The first one is used."));
        continue;
      }
      extensions.set(id, {
        id,
        name: typeof entry["name"] === "string" ? entry["name"] : (builtInName(id) ?? id),
        isEnabled: (entry["_enabled"] ?? entry["enabled"]) !== false,
        source: sourceOf(entry),
        spec,
        needsInstallation: check.kind === "installable",
        entry,
      });
    }
    return [...extensions.values()];
  },
};

function builtInName(id: string): string | undefined {
  return builtInExtensions.find((extension) => extension.id === id)?.name;
}

function sourceOf(entry: Readonly<Record<string, unknown>>): ChainExtension["source"] {
  const source = entry["_source"];
  if (source === "registry" || source === "custom" || source === "built-in") return source;
  if (entry["distribution"] !== undefined) return "custom";
  return builtInName(String(entry["id"])) === undefined ? "registry" : "built-in";
}

function withoutMarks(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !key.startsWith("_") && key !== "enabled"));
}

type Entry = Readonly<Record<string, unknown>>;

/** Returns the setting's value for a list of extensions. Returns undefined for the default list, so that the key is removed. */
export function settingOf(extensions: readonly ChainExtension[]): readonly Entry[] | undefined {
  const isDefault =
    extensions.length === defaultExtensions.length &&
    extensions.every((extension, index) => {
      const usual = defaultExtensions[index];
      const isUsual = extension.id === usual?.id && extension.isEnabled && extension.source === "built-in";
      return isUsual && extension.entry["options"] === undefined;
    });
  return isDefault ? undefined : extensions.map(entryOf);
}

/**
 * Throws if the workspace defines the list. Writing the user's settings would have no effect in this workspace, and would turn the
 * workspace's extensions into the user's own, which need no consent.
 */
export function requireOwnList(workspaceFile: string | undefined): void {
  if (workspaceFile === undefined) return;
  throw new SymposiumError(
    "config-not-written",
    l10n.t(
      "This workspace takes its extensions from symposium.extensions in {0}, so your own list was not changed.",
      workspaceFile,
    ),
    l10n.t("Change them in that file, or remove the setting from it."),
  );
}

export function withEnabled(extensions: readonly ChainExtension[], id: string, isEnabled: boolean): ChainExtension[] {
  return extensions.map((extension) => (extension.id === id ? { ...extension, isEnabled } : extension));
}

/** Sorts the extensions in the order of `ids`. Extensions whose id isn't in `ids` stay at the end in their order, so that none is lost. */
export function reordered(extensions: readonly ChainExtension[], ids: readonly string[]): ChainExtension[] {
  const named = ids.flatMap((id) => extensions.find((extension) => extension.id === id) ?? []);
  return [...new Set([...named, ...extensions])];
}

export function without(extensions: readonly ChainExtension[], id: string): ChainExtension[] {
  return extensions.filter((extension) => extension.id !== id);
}

/** Appends an extension to the list, so that it is next to the agent. Replaces an extension with the same id in place. */
export function withAdded(extensions: readonly ChainExtension[], added: ChainExtension): ChainExtension[] {
  if (!extensions.some(({ id }) => id === added.id)) return [...extensions, added];
  return extensions.map((extension) => (extension.id === added.id ? added : extension));
}

function entryOf({ id, isEnabled, source, entry }: ChainExtension): Entry {
  const { enabled: _older, ...rest } = entry;
  return { ...rest, id, _enabled: isEnabled, _source: source };
}
