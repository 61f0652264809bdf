// Recovery codes: shown once, so that they can be kept in several ways.
import { t } from "./signin-texts.js";
import { announce, form, make, note } from "./signin-view.js";

export function recoveryCodes(text) {
  note(t("signIn.recoveryCodes"));
  const list = note(text, "output codes");
  list.id = "recovery";
  list.tabIndex = 0;
  const act = (id, textContent, onclick) => make("button", { type: "button", className: "quiet", id, textContent, onclick });
  form.append(make("div", { className: "buttons", role: "group", "aria-label": t("signIn.keepCodes") },
    act("copy", t("signIn.copy"), () => copy(text, list)), act("download", t("signIn.download"), () => download(text)),
    act("print", t("signIn.print"), () => print())));
}

async function copy(text, list) {
  try {
    await navigator.clipboard.writeText(text);
    announce(t("signIn.copied"));
    document.getElementById("copy").textContent = t("signIn.copied");
  } catch {
    // Without the right to write there: selected, to be copied by hand.
    getSelection().selectAllChildren(list);
    announce(t("signIn.selected"));
  }
}

function download(text) {
  const address = URL.createObjectURL(new Blob([text + "\n"], { type: "text/plain" }));
  make("a", { href: address, download: "recovery-codes.txt" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
