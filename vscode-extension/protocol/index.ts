/** Messages between the chat view and the extension, and the transcript that each side stores. */
export * from "./branch.js";
export * from "./changes.js";
export * from "./content.js";
export * from "./items.js";
export * from "./settings.js";
export * from "./tab.js";
export * from "./tab-titles.js";
export * from "./to-extension.js";
export * from "./to-webview.js";
