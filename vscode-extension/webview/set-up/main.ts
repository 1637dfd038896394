import "@vscode/codicons/dist/codicon.css";
import "../controls/controls.css";
import "./set-up.css";
import * as z from "zod/mini";
import { toSetUpSchema } from "../../protocol/set-up.js";
import { SetUpApp } from "./set-up-app.js";

// Compiled validators need eval, which the page's content security policy forbids.
z.config({ jitless: true });

const api = acquireVsCodeApi();
const app = new SetUpApp();
app.addEventListener("symposium-set-up", ({ detail }) => api.postMessage(detail));
window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  const message = toSetUpSchema.safeParse(data);
  if (message.success) app.state = message.data.state;
});
document.body.append(app);
api.postMessage({ type: "set-up-ready" });
