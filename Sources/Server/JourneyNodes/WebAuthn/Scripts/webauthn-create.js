navigator.credentials.create({ publicKey: publicKey })
  .then(function (credential) {
    var response = credential.response;
    answer(credential, [
      new TextDecoder().decode(response.clientDataJSON),
      new Int8Array(response.attestationObject).toString(),
      credential.id
    ]);
  })
  .catch(refuse);
