import Foundation
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import Operations
@testable import ServerHTTP

@Suite("Open connections are counted") struct ConnectionGateTests {
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// Addresses that begin with 10 are those of a trusted proxy.
  private func gate(maximum: Int = 100, perAddress: Int = 100) -> ConnectionGate {
    ConnectionGate(
      maximum: maximum, maximumPerAddress: perAddress,
      address: { $0?.ipAddress.flatMap { $0.hasPrefix("10.") ? nil : $0 } },
      now: { Date(timeIntervalSince1970: 0) })
  }

  private func channel(_ address: String) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
    return channel
  }

  private func open(_ gate: ConnectionGate, _ address: String) throws -> (
    channel: EmbeddedChannel, isAdmitted: Bool
  ) {
    let channel = try channel(address)
    return (channel, gate.admit(channel, logger: logger))
  }

  @Test func `a closed connection makes room`() throws {
    let gate = gate(maximum: 1)
    let (first, isAdmitted) = try open(gate, "192.0.2.1")
    #expect(isAdmitted && gate.count == 1 && gate.count(of: "192.0.2.1") == 1)
    #expect(gate.begins(first))
    #expect(try !open(gate, "192.0.2.2").isAdmitted)
    _ = try first.finish()
    #expect(gate.count == 0 && gate.count(of: "192.0.2.1") == 0)
    #expect(try open(gate, "192.0.2.2").isAdmitted)
  }

  @Test func `when all are taken, the one that has waited longest goes, and one with a request stays`() throws
  {
    let gate = gate(maximum: 3)
    let channels = try (1...3).map { try open(gate, "192.0.2.\($0)").channel }
    #expect(gate.begins(channels[0]) && gate.begins(channels[1]))
    gate.ends(1, channels[1])
    let (newcomer, isAdmitted) = try open(gate, "192.0.2.4")
    #expect(isAdmitted && newcomer.isActive && gate.count == 3)
    #expect(channels.map(\.isActive) == [true, true, false])
    #expect(try open(gate, "192.0.2.5").isAdmitted)
    #expect(channels.map(\.isActive) == [true, false, false])
  }

  @Test func `an address that has all of its own gives up one of its own, and nobody else's`() throws {
    let gate = gate(perAddress: 2)
    let other = try open(gate, "192.0.2.9").channel
    let channels = try (1...3).map { _ in try open(gate, "192.0.2.1").channel }
    #expect(channels.map(\.isActive) == [false, true, true] && other.isActive)
    for channel in channels.dropFirst() { #expect(gate.begins(channel)) }
    let (refused, isAdmitted) = try open(gate, "192.0.2.1")
    #expect(!isAdmitted && gate.count(of: "192.0.2.1") == 2)
    _ = refused
    #expect(try open(gate, "192.0.2.2").isAdmitted)
  }

  @Test func `a trusted proxy, which speaks for many, has as many as there are`() throws {
    let gate = gate(maximum: 5, perAddress: 1)
    let channels = try (1...5).map { _ in try open(gate, "10.0.0.1").channel }
    #expect(channels.allSatisfy(\.isActive) && gate.count == 5)
  }

  @Test func `a connection whose head trickles in is closed on time; one with a request is not`() throws {
    let gate = gate()
    let (channel, _) = try open(gate, "192.0.2.1")
    let connectionGuard = ConnectionGuard(gate: gate, headTime: 20, idleTime: 75)
    try channel.pipeline.syncOperations.addHandler(connectionGuard)
    for second in 1...19 {
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
      try channel.writeInbound(ByteBuffer(string: "G"))
      #expect(channel.isActive, "after \(second) s")
    }
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive && gate.count == 0)

    let (other, _) = try open(gate, "192.0.2.1")
    let second = ConnectionGuard(gate: gate, headTime: 20, idleTime: 75)
    try other.pipeline.syncOperations.addHandler(second)
    #expect(second.requestBegan(on: other))
    other.embeddedEventLoop.advanceTime(by: .hours(1))
    #expect(other.isActive)
  }

  /// Over HTTP/2 the server announces that it closes, and waits for the client to confirm it, which a client need not do.
  @Test func `a connection without a request is closed, whatever its client confirms`() throws {
    let gate = gate()
    let (channel, _) = try open(gate, "192.0.2.1")
    let connectionGuard = ConnectionGuard(gate: gate, headTime: 20, idleTime: 75)
    try channel.pipeline.syncOperations.addHandler(connectionGuard)
    for _ in 1...3 {
      #expect(connectionGuard.requestBegan(on: channel) && connectionGuard.requestBegan(on: channel))
      connectionGuard.requestsEnded(1, on: channel)
      channel.embeddedEventLoop.advanceTime(by: .hours(1))
      #expect(channel.isActive)
      connectionGuard.requestsEnded(1, on: channel)
      channel.embeddedEventLoop.advanceTime(by: .seconds(75))
      #expect(channel.isActive)
    }
    channel.embeddedEventLoop.advanceTime(by: .seconds(15))
    #expect(!channel.isActive && gate.count == 0)
  }

  @Test func `the streams of few connections do not take more requests than all connections would`() throws {
    let gate = gate(maximum: 5, perAddress: 2)
    let many = try open(gate, "192.0.2.1").channel
    #expect((1...4).allSatisfy { _ in gate.begins(many) } && !gate.begins(many))
    // Neither does another connection of the address help; others are not concerned.
    let another = try open(gate, "192.0.2.1").channel
    #expect(!gate.begins(another))
    let other = try open(gate, "192.0.2.2").channel
    #expect(gate.begins(other))
    gate.ends(1, many)
    #expect(gate.begins(another) && !gate.begins(many))
    // A closed connection leaves none.
    _ = try many.finish()
    #expect((1...3).allSatisfy { _ in gate.begins(another) } && !gate.begins(another))
    // A trusted proxy has what is left of the total.
    let proxy = try open(gate, "10.0.0.1").channel
    #expect((1...5).allSatisfy { _ in gate.begins(proxy) } && !gate.begins(proxy) && !gate.begins(other))
  }
}
