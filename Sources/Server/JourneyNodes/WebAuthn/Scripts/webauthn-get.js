navigator.credentials.get({ publicKey: publicKey })
  .then(function (credential) {
    var response = credential.response;
    var parts = [
      new TextDecoder().decode(response.clientDataJSON),
      new Int8Array(response.authenticatorData).toString(),
      new Int8Array(response.signature).toString(),
      credential.id
    ];
    if (response.userHandle) { parts.push(new TextDecoder().decode(response.userHandle)); }
    answer(credential, parts);
  })
  .catch(refuse);
