import "@vscode/codicons/dist/codicon.css";
import "../controls/controls.css";
import "./mcp-servers.css";
import * as z from "zod/mini";
import { toMcpServersSchema } from "../../protocol/mcp-servers.js";
import { McpServersApp } from "./mcp-servers-app.js";

// Compiled validators need eval, which the page's content security policy forbids.
z.config({ jitless: true });

const api = acquireVsCodeApi();
const app = new McpServersApp();
app.addEventListener("symposium-mcp-servers", ({ detail }) => api.postMessage(detail));
window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  const message = toMcpServersSchema.safeParse(data);
  if (message.success) app.state = message.data.state;
});
document.body.append(app);
api.postMessage({ type: "mcp-servers-ready" });
