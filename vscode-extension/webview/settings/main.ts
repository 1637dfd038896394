import "@vscode/codicons/dist/codicon.css";
import "../controls/controls.css";
import "./settings.css";
import * as z from "zod/mini";
import { toSettingsViewSchema } from "../../protocol/settings.js";
import { SettingsApp } from "./settings-app.js";

// Compiled validators need eval, which the page's content security policy forbids.
z.config({ jitless: true });

const api = acquireVsCodeApi();
const app = new SettingsApp();
app.addEventListener("symposium-ask", ({ detail }) => api.postMessage(detail));
window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  const message = toSettingsViewSchema.safeParse(data);
  if (message.success) app.state = message.data.state;
});
document.body.append(app);
api.postMessage({ type: "settings-ready" });
