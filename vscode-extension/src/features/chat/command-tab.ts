import { asObject, stringOf } from "@symposium-dev/core";

/** The tab that a command is about by what the editor passes it; undefined where that names none. */
export function tabIdOf(argument: unknown): string | undefined {
  return stringOf(asObject(argument)?.["tabId"] ?? argument);
}

/**
 * The tab that a command is about: the one that it names, that of the editor in whose title it was chosen, or the one that the
 * user was in last. A title passes its editor's address, which says that it shows a page, but not which.
 *
 * @param tabs `selected`: the tab that the user was in last.
 * @param editors `active`: the tab of the window's active editor.
 */
export function commandTab(
  argument: unknown,
  tabs: { readonly selected: string | undefined },
  editors: { readonly active: string | undefined },
): string | undefined {
  const isTitleOfPage = asObject(argument)?.["scheme"] === "webview-panel";
  return isTitleOfPage ? editors.active : (tabIdOf(argument) ?? tabs.selected);
}
