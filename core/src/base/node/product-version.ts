/** The product's version; the bundle replaces it by the one in the root package.json. */
declare const SYMPOSIUM_VERSION: string | undefined;

export const productVersion = typeof SYMPOSIUM_VERSION === "undefined" ? "0.0.0-dev" : SYMPOSIUM_VERSION;

/** What the extension for VS Code calls itself as a client. */
export const extensionName = "symposium-vscode";
