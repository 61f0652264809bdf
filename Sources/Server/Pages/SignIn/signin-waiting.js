// Steps that wait for something elsewhere: they come again and again, and what they show stays where it is.
import { marked } from "./signin-markup.js";
import { clock, t } from "./signin-texts.js";
import { Countdown, form, make, note, output, waiting } from "./signin-view.js";

export function polling(callback, page, current) {
  page.button = null;
  page.waits = true;
  const message = output(callback, "message");
  waiting(message ? marked(message) : t("signIn.waiting"));
  const left = () => output(current(), "expiresIn");
  if (left() !== undefined) secondsLeft(page, () => Number(left()));
  const wait = () => page.wait(Number(output(current(), "waitTime")) || 5000);
  page.refreshers.push(wait);
  wait();
}

// The time that is left of a step that waits.
export function secondsLeft(page, left) {
  if (!Number.isFinite(left())) return;
  const countdown = new Countdown(left(), clock);
  page.refreshers.push(() => countdown.set(left()));
  page.end.push(() => countdown.stop());
}

// The code that an authenticator app scans, what it says for those who cannot scan it, and a link for an app on this device.
export function enrolment(address, page) {
  if (!/^(pushauth|mfauth|otpauth):\/\//.test(address)) return;
  const picture = make("img", { className: "enrolment", alt: t("signIn.codeToScan"), hidden: true });
  form.append(picture);
  draw(address, page, picture);
  form.append(make("p", {}, make("a", { href: address, textContent: t("signIn.openApp") })));
  const details = make("details", {}, make("summary", { textContent: t("signIn.cannotScan") }));
  const secret = address.startsWith("otpauth:") ? new URLSearchParams(address.split("?")[1]).get("secret") : null;
  if (secret) {
    details.append(
      make("p", { textContent: t("signIn.setupKey") }),
      make("p", { className: "output codes", textContent: secret.replace(/(.{4})(?=.)/g, "$1 ") }));
  } else {
    details.append(make("p", { textContent: t("signIn.address") }), make("p", { className: "output codes", textContent: address }));
  }
  form.append(details);
}

async function draw(uri, page, picture) {
  try {
    const answer = await fetch("qr", {
      method: "POST", credentials: "omit", cache: "no-store",
      headers: { "Content-Type": "application/json", "X-Requested-With": "XMLHttpRequest" },
      body: JSON.stringify({ authId: page.step.authId, uri }),
    });
    if (!answer.ok) return;
    picture.src = "data:image/svg+xml," + encodeURIComponent(await answer.text());
    picture.hidden = false;
  } catch {
    // The address and the link remain.
  }
}
