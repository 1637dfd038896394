import { asObject, stringOf } from "@symposium-dev/core";

export function tabIdOf(argument: unknown): string | undefined {
  return stringOf(asObject(argument)?.["tabId"] ?? argument);
}

/**
 * Returns the tab that a command applies to: the tab in the argument, the tab of the editor whose title bar was used, or the
 * tab that the user visited last. A title bar passes its editor's URI, which doesn't identify the tab.
 *
 * @param tabs `selected`: the tab that the user visited last.
 * @param editors `active`: the tab in the window's active editor.
 */
export function commandTab(
  argument: unknown,
  tabs: { readonly selected: string | undefined },
  editors: { readonly active: string | undefined },
): string | undefined {
  const isTitleOfPage = asObject(argument)?.["scheme"] === "webview-panel";
  return isTitleOfPage ? editors.active : (tabIdOf(argument) ?? tabs.selected);
}
