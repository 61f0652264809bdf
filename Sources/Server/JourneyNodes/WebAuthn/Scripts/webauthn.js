function submit(value) {
  document.getElementById("webAuthnOutcome").value = value;
  document.getElementById("loginButton_0").click();
}
function answer(credential, parts) {
  // Of what extensions return only this: others return secrets of the page.
  var usedAppID = credential.getClientExtensionResults().appid === true;
  submit(JSON.stringify({
    authenticatorAttachment: credential.authenticatorAttachment || undefined,
    clientExtensionResults: usedAppID ? { appid: true } : undefined,
    legacyData: parts.join("::")
  }));
}
function refuse(error) {
  submit(JSON.stringify({ error: error.name + ":" + error.message }));
}
if (!window.PublicKeyCredential) { submit("unsupported"); }
