import "../translations.js";
import { toMcpServersSchema } from "../../protocol/mcp-servers.js";
import { runPage } from "../controls/state-page.js";
import "./mcp-servers.css";
import { McpServersApp } from "./mcp-servers-app.js";

runPage("mcp-servers", new McpServersApp(), toMcpServersSchema);
