/**
 * The package of the language-server adapter, as far as the command knows it: that package is built on this one, so its
 * own declarations cannot be read here. A test of it holds the two together.
 */
import type { LspAdapterModule } from "../../../base/ide-operations/lsp-adapter-module.js";

export declare const openIdeOperations: LspAdapterModule["openIdeOperations"];
export declare const runLspAdapter: LspAdapterModule["runLspAdapter"];
export declare const runLspServer: LspAdapterModule["runLspServer"];
export declare const checkLanguageServers: LspAdapterModule["checkLanguageServers"];
