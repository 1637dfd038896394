/** The name of the component, of its MCP server and of its entry in config.jsonc. */
export const ideOperationsName = "ide-operations";
