// The texts of the server's own nodes and journeys, in the person's language where nobody has changed them. Every other text stays as it
// is.
import { t } from "./signin-texts.js";

const words = {
  "User Name": "signIn.promptName", Username: "signIn.promptName", Password: "signIn.promptPassword",
  "New Password": "signIn.promptNewPassword", "Confirm New Password": "signIn.promptConfirm",
  "Recovery Code": "signIn.promptRecoveryCode", "Enter verification code": "signIn.promptCode",
  "One Time Password": "signIn.promptOneTime", "Select a security question": "signIn.promptSecurityQuestion",
  "Sign in": "signIn.signIn", "Register a device": "signIn.addDevice", "Confirm that it is you": "signIn.confirmTitle",
  "Then this device can be registered.": "signIn.confirmRegister", "Enter your password.": "signIn.enterPassword",
  "With your passkey or security key.": "signIn.withPasskey", Cancel: "signIn.cancel", Exit: "signIn.cancel",
  "Then confirm with your device.": "signIn.confirmDevice", Transaction: "signIn.promptTransaction",
  Submit: "signIn.continue", "Use recovery code": "signIn.useRecoveryCode",
  "Use a recovery code": "signIn.useRecoveryCode", "Use Recovery Code": "signIn.useRecoveryCode",
  "Use a one-time code": "signIn.useOneTime", Yes: "signIn.yes", No: "signIn.no",
  "Waiting for response...": "signIn.answerOnDevice", "Answer on your device": "signIn.answerOnDevice",
  "Please wait...": "signIn.waiting", "Scan the QR code with your authenticator app.": "signIn.scan",
  "Scan the QR code with your authenticator app to register this device.": "signIn.scan",
  "An email has been sent to the address you entered. Click the link in that email to proceed.": "signIn.mailSent",
};

const numbers = [
  [/^(?:Choose|Choose or enter) \(?(\d{1,2})\)? on your device(?: to sign in)?$/, "signIn.chooseNumber"],
  [/^(?:Enter|Choose or enter) \(?(\d{3,8})\)? on your device(?: to sign in)?$/, "signIn.enterNumber"],
];

export function said(text) {
  if (typeof text !== "string") return text;
  if (Object.hasOwn(words, text)) return t(words[text]);
  for (const [form, key] of numbers) {
    const found = text.match(form);
    if (found) return t(key, { number: found[1] });
  }
  return text;
}
