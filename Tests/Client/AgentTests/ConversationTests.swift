import Bytes
import CommonFixtures
import DeviceKeys
import Foundation
import JOSE
import PersonPrompts
import ProofFixtures
import SSHFormats
import StrictJSON
import Testing

@testable import Agent

struct ConversationTests {
  @Test func `a sign-in is signed after the PIN, and the question names program, account, host and key`()
    async throws
  {
    let scene = try await AgentScene(answers: [.pin(AgentScene.pin)])
    let conversation = scene.conversation()
    let session = [UInt8](repeating: 1, count: 32)
    guard case .signature(let blob) = try await scene.signIn(conversation) else {
      Issue.record("there is no signature")
      return
    }
    let data = UserAuthenticationRequest.bytes(
      sessionIdentifier: session, user: "ada", key: scene.key.publicKey, hostKey: scene.host.blob)
    #expect(try HostKey(parsing: scene.key.publicKey.blob).isValid(blob, over: data))
    let details = try #require(scene.person.questions.first).details
    for part in ["/usr/bin/ssh (process 7)", "ada", "SHA256:", "laptop", "this time only"] {
      #expect(details.contains(part))
    }
  }

  @Test func `the host's name comes from known_hosts`() async throws {
    let host = TestHost()
    let scene = try await AgentScene(
      answers: [], knownHosts: "bank.example ssh-ed25519 \(PaddedBase64.encode(host.blob))\n")
    let conversation = scene.conversation()
    let session = [UInt8](repeating: 1, count: 32)
    _ = await conversation.answer(to: try host.binding(session))
    _ = await conversation.answer(to: scene.signRequest(session, at: host))
    #expect(scene.person.questions.first?["Host"] == "bank.example")
  }

  @Test func `only keys for SSH are offered, and a bound key never signs`() async throws {
    let scene = try await AgentScene(answers: [.yes, .yes])
    let conversation = scene.conversation()
    let identity = AgentReply.Identity(blob: scene.key.publicKey.blob, comment: "laptop")
    #expect(await conversation.answer(to: AgentRequest.identities.bytes) == .identities([identity]))
    let bound = try #require(try await scene.keys.store.keys().first { $0.tag == "bound" })
    guard case .p256(let x, let y) = bound.publicKey.material else { return }
    let key = try SSHPublicKey(point: [4] + x + y)
    let session = [UInt8](repeating: 1, count: 32)
    _ = await conversation.answer(to: try scene.host.binding(session))
    let data = UserAuthenticationRequest.bytes(
      sessionIdentifier: session, user: "a", key: key, hostKey: nil)
    #expect(
      await conversation.answer(to: AgentRequest.sign(key: key.blob, data: data, flags: 0).bytes)
        == .failure)
    #expect(scene.person.questions.isEmpty)
  }

  @Test(arguments: ["eyJhbGciOiJFUzI1NiJ9.eyJjaGFsbGVuZ2UiOiJhIn0", "SSHSIG", ""])
  func `nothing but a sign-in by SSH is signed`(data: String) async throws {
    let scene = try await AgentScene(answers: [.pin(AgentScene.pin)])
    let conversation = scene.conversation()
    _ = await conversation.answer(to: try scene.host.binding([UInt8](repeating: 1, count: 32)))
    let request = AgentRequest.sign(key: scene.key.publicKey.blob, data: Array(data.utf8), flags: 0)
    #expect(await conversation.answer(to: request.bytes) == .failure)
    #expect(scene.person.questions.isEmpty)
  }

  @Test func `without a binding, for another session or another host nobody is asked`() async throws {
    let scene = try await AgentScene(answers: [.pin(AgentScene.pin)])
    let (one, two) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
    var conversation = scene.conversation()
    #expect(await conversation.answer(to: scene.signRequest(one, at: scene.host)) == .failure)
    _ = await conversation.answer(to: try scene.host.binding(one))
    #expect(await conversation.answer(to: scene.signRequest(two, at: scene.host)) == .failure)
    #expect(await conversation.answer(to: scene.signRequest(one, at: TestHost())) == .failure)
    conversation = scene.conversation()
    #expect(await conversation.answer(to: try scene.host.binding(one, signing: two)) == .failure)
    _ = await conversation.answer(to: try scene.host.binding(one))
    #expect(await conversation.answer(to: scene.signRequest(one, at: scene.host)) == .failure)
    #expect(scene.person.questions.isEmpty)
  }

  // A host that learned the identifier of another one's session can sign a binding to it; the question would name the wrong host.
  @Test func `a sign-in that does not name the host's key asks nobody`() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "log")
      let scene = try await AgentScene(answers: [.pin(AgentScene.pin)], log: file)
      let conversation = scene.conversation()
      let session = [UInt8](repeating: 1, count: 32)
      #expect(await conversation.answer(to: try scene.host.binding(session)) == .success)
      #expect(await conversation.answer(to: scene.signRequest(session, at: nil)) == .failure)
      #expect(scene.person.questions.isEmpty)
      let reason = try AgentLog.entries(in: file, last: 1).first?["reason"]?.stringValue
      #expect(reason?.hasPrefix("The sign-in does not name the host's key") == true)
      #expect(await conversation.answer(to: scene.signRequest(session, at: scene.host)).isSignature)
    }
  }

  @Test
  func
    `a server that does not know this form is signed in to where that is allowed, each time with a warning, and not by a forwarded agent`()
    async throws
  {
    let scene = try await AgentScene(
      answers: [.pin(AgentScene.pin), .pin(AgentScene.pin)], policy: AgentPolicy(remembersFor: 600),
      allowsForwarding: true, allowsOldForm: true)
    let session = [UInt8](repeating: 1, count: 32)
    for _ in 0..<2 {
      let conversation = scene.conversation()
      #expect(await conversation.answer(to: try scene.host.binding(session)) == .success)
      #expect(await conversation.answer(to: scene.signRequest(session, at: nil)).isSignature)
    }
    // Not remembered: the host in the question is not in the signature.
    #expect(scene.person.questions.map { $0["Beware"] != nil } == [true, true])
    let forwarded = scene.conversation()
    let hop = TestHost()
    #expect(
      await forwarded.answer(to: try hop.binding([UInt8](repeating: 9, count: 32), forwarding: true))
        == .success)
    #expect(await forwarded.answer(to: try scene.host.binding(session)) == .success)
    #expect(await forwarded.answer(to: scene.signRequest(session, at: nil)) == .failure)
    #expect(scene.person.questions.count == 2)
  }

  @Test func `a connection that was bound for a sign-in is not bound to another session`() async throws {
    let scene = try await AgentScene(answers: [])
    let conversation = scene.conversation()
    let (one, two) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
    #expect(await conversation.answer(to: try scene.host.binding(one)) == .success)
    #expect(await conversation.answer(to: try scene.host.binding(one)) == .success)
    #expect(await conversation.answer(to: try scene.host.binding(two)) == .failure)
  }

  @Test(arguments: [false, true])
  func `a forwarded agent shows and signs nothing unless that is allowed`(isAllowed: Bool) async throws {
    let scene = try await AgentScene(
      answers: [.pin(AgentScene.pin)], allowsForwarding: isAllowed)
    let conversation = scene.conversation()
    let hop = TestHost()
    let forwarding = try hop.binding([UInt8](repeating: 9, count: 32), forwarding: true)
    #expect(await conversation.answer(to: forwarding) == .success)
    // The host itself, which does not bind, gets nothing either way.
    #expect(
      await conversation.answer(to: scene.signRequest([UInt8](repeating: 9, count: 32), at: hop)) == .failure)
    let identities = await conversation.answer(to: AgentRequest.identities.bytes)
    #expect((identities == .identities([])) == !isAllowed)
    #expect(try await scene.signIn(conversation).isSignature == isAllowed)
    #expect(scene.person.questions.map { $0["Forwarded by"] != nil } == (isAllowed ? [true] : []))
  }

  @Test(arguments: [true, false])
  func
    `a host that the agent was forwarded to neither locks nor unlocks it, also when its binding was refused`(
      isGenuine: Bool
    ) async throws
  {
    let scene = try await AgentScene(answers: [], allowsForwarding: true)
    let (remote, local) = (scene.conversation(), scene.conversation())
    let session = [UInt8](repeating: 9, count: 32)
    let binding = try TestHost().binding(session, forwarding: true, signing: isGenuine ? nil : [1])
    #expect(await remote.answer(to: binding) == (isGenuine ? .success : .failure))
    #expect(await remote.answer(to: AgentRequest.lock(passphrase: [1]).bytes) == .failure)
    #expect(await !scene.questions.isLocked)
    #expect(await local.answer(to: AgentRequest.lock(passphrase: [1]).bytes) == .success)
    #expect(await remote.answer(to: AgentRequest.unlock(passphrase: [1]).bytes) == .failure)
    #expect(await scene.questions.isLocked)
  }

  @Test func `a connection whose binding was refused is shown no key`() async throws {
    let scene = try await AgentScene(answers: [])
    let conversation = scene.conversation()
    let session = [UInt8](repeating: 9, count: 32)
    _ = await conversation.answer(to: try TestHost().binding(session, forwarding: true, signing: [1]))
    #expect(await conversation.answer(to: AgentRequest.identities.bytes) == .identities([]))
  }

  @Test func `locked, no key is shown or used, and only the passphrase unlocks`() async throws {
    let scene = try await AgentScene(answers: [.pin(AgentScene.pin)])
    let conversation = scene.conversation()
    #expect(await conversation.answer(to: AgentRequest.lock(passphrase: [1]).bytes) == .success)
    #expect(await conversation.answer(to: AgentRequest.lock(passphrase: [2]).bytes) == .failure)
    #expect(await conversation.answer(to: AgentRequest.identities.bytes) == .identities([]))
    #expect(try await scene.signIn(conversation) == .failure)
    #expect(await conversation.answer(to: AgentRequest.unlock(passphrase: [2]).bytes) == .failure)
    #expect(await conversation.answer(to: AgentRequest.unlock(passphrase: [1]).bytes) == .success)
    #expect(try await scene.signIn(conversation).isSignature)
  }

  @Test func `wrong passphrases pause the unlocking for every process, and longer each time`() async throws {
    let scene = try await AgentScene(answers: [])
    func unlock(_ passphrase: UInt8) async -> AgentReply {
      await scene.conversation().answer(to: AgentRequest.unlock(passphrase: [passphrase]).bytes)
    }
    _ = await scene.conversation().answer(to: AgentRequest.lock(passphrase: [1]).bytes)
    for wrong in [2, 3, 4] as [UInt8] { #expect(await unlock(wrong) == .failure) }
    #expect(await unlock(1) == .failure)
    scene.date.advance(by: 1)
    #expect(await unlock(5) == .failure)
    scene.date.advance(by: 1)
    #expect(await unlock(1) == .failure)
    scene.date.advance(by: 1)
    #expect(await unlock(1) == .success)
    // A right one ends the pause.
    _ = await scene.conversation().answer(to: AgentRequest.lock(passphrase: [1]).bytes)
    #expect(await unlock(2) == .failure)
    #expect(await unlock(1) == .success)
  }

  @Test(arguments: [[13, 0xFF, 0xFF, 0xFF, 0xFF], [], [17], [19], [27, 0, 0, 0, 1, 0x78]] as [[UInt8]])
  func `what is malformed or unknown is a failure`(message: [UInt8]) async throws {
    let scene = try await AgentScene(answers: [])
    #expect(await scene.conversation().answer(to: message) == .failure)
  }
}
