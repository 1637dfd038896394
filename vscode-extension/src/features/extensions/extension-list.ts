import { SymposiumError } from "@symposium-dev/core";
import { type ChainExtension, defaultExtensions } from "../settings/extensions-setting.js";

type Entry = Readonly<Record<string, unknown>>;

/** What the setting has to be for this list: undefined for the default one, so that the key is removed. */
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
 * Rejects a change where the list is a workspace's: in the user's own settings it would have no effect there, and would
 * make the workspace's extensions the user's own, about which nobody is asked.
 */
export function requireOwnList(workspaceFile: string | undefined): void {
  if (workspaceFile === undefined) return;
  throw new SymposiumError(
    "config-not-written",
    `The extensions of this workspace are those of symposium.extensions in ${workspaceFile}, so your own list was not changed.`,
    "Change them in that file, or remove the setting from it.",
  );
}

export function withEnabled(extensions: readonly ChainExtension[], id: string, isEnabled: boolean): ChainExtension[] {
  return extensions.map((extension) => (extension.id === id ? { ...extension, isEnabled } : extension));
}

/** The list in the order of `ids`; what they do not name keeps its order at the end, so nothing is lost. */
export function reordered(extensions: readonly ChainExtension[], ids: readonly string[]): ChainExtension[] {
  const named = ids.flatMap((id) => extensions.find((extension) => extension.id === id) ?? []);
  return [...new Set([...named, ...extensions])];
}

export function without(extensions: readonly ChainExtension[], id: string): ChainExtension[] {
  return extensions.filter((extension) => extension.id !== id);
}

/** The list with another extension at its end, nearest to the agent; one with the same id is replaced in place. */
export function withAdded(extensions: readonly ChainExtension[], added: ChainExtension): ChainExtension[] {
  if (!extensions.some(({ id }) => id === added.id)) return [...extensions, added];
  return extensions.map((extension) => (extension.id === added.id ? added : extension));
}

function entryOf({ id, isEnabled, source, entry }: ChainExtension): Entry {
  const { enabled: _older, ...rest } = entry;
  return { ...rest, id, _enabled: isEnabled, _source: source };
}
