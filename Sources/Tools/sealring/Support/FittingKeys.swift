import BindingFormats
import Foundation
import PingBinding
import PingFido
import PingPush
import StrictJSON
import WebAddresses
import WebAuthnAuthenticator

/// The keys of this device that belong to a server and realm, or whose server is unknown.
struct FittingKeys {
  let bound: [UserKey]
  let passkeys: [WebAuthnKey]
  let push: [PushCredential]

  static func find(for server: ServerOptions) async throws -> FittingKeys {
    let origin = WebOrigin(address: server.baseAddress)?.namingLoopback
    let push = try await server.pushOptions.withClient { try await $0.getCredentials() }
    return FittingKeys(
      bound: try await BindingModule.getAllKeys().filter {
        $0.isUsable(at: server.baseAddress, realm: server.realm)
      },
      passkeys: try await WebAuthnKeys().all().filter { key in
        guard let scope = key.scope else { return true }
        return WebOrigin(address: scope.server)?.namingLoopback == origin
          && (scope.realm ?? server.realm).trimmedRealm == server.realm.trimmedRealm
      },
      push: push.filter {
        $0.place.server == server.baseAddress
          && ($0.place.realm ?? "root").trimmedRealm == server.realm.trimmedRealm
      })
  }

  /// One line for each key.
  var lines: [String] {
    bound.map {
      "key      \($0.kid)  \(printable($0.username)), \($0.authType == .none ? "no PIN" : "unlocked by " + $0.authType.words)"
    }
      + passkeys.map {
        "passkey  \($0.credentialID)  \(printable($0.userName)) at \(printable($0.relyingPartyID))"
      }
      + push.map { "push     \($0.id)  \(printable($0.displayName))" }
  }

  var json: JSONValue {
    [
      "bound": .array(bound.map { ["kid": .string($0.kid), "username": .string($0.username)] }),
      "passkeys": .array(
        passkeys.map { ["credentialId": .string($0.credentialID), "username": .string($0.userName)] }),
      "push": .array(
        push.map { ["id": .string($0.id), "accountName": .string($0.displayAccountName)] }),
    ]
  }
}

extension String {
  var trimmedRealm: String { RealmPath(self).name.lowercased() }
}
