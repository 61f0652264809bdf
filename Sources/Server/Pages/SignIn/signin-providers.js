// The way to an identity provider and back to the step that sent the person there.
import { query } from "./signin-server.js";
import { t } from "./signin-texts.js";
import { note, output, waiting } from "./signin-view.js";

// The key under which this tab alone keeps the step meanwhile.
const kept = "sealring.left";

export function leaveFor(callback, page) {
  let target;
  try { target = new URL(output(callback, "redirectUrl")); } catch { target = null; }
  const isWeb = target && (target.protocol === "https:" || target.protocol === "http:");
  if (!isWeb || (output(callback, "redirectMethod") ?? "GET") !== "GET") {
    note(t("signIn.unknownCallback", { type: callback.type }), "output warning");
    return;
  }
  sessionStorage.setItem(kept, JSON.stringify({ search: location.search, step: page.step }));
  page.button = null;
  waiting(t("signIn.goingTo", { host: target.hostname }));
  const timer = setTimeout(() => location.assign(target), 0);
  page.end.push(() => clearTimeout(timer));
}

// The step to continue after a provider's redirect, with its answer; `undefined` when no provider redirected here, and `null` while the
// page returns to the address of the sign-in.
export function comeBack() {
  const saved = JSON.parse(sessionStorage.getItem(kept) || "null");
  if (!saved) return undefined;
  if (saved.answer) {
    sessionStorage.removeItem(kept);
    return saved;
  }
  if (!query.get("state") || !(query.get("code") || query.get("error"))) return undefined;
  const names = ["code", "state", "iss", "error", "error_description"].filter((name) => query.has(name));
  saved.answer = new URLSearchParams(names.map((name) => [name, query.get(name)])).toString();
  sessionStorage.setItem(kept, JSON.stringify(saved));
  // The saved address has the realm, and the history does not keep the code.
  location.replace(location.pathname + saved.search);
  return null;
}
