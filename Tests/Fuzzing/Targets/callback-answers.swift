@testable import JourneyEngine
import StrictJSON

extension FuzzTarget {
  /// Answers belong to what was asked, and are bounded.
  static let callbackAnswers = FuzzTarget { bytes in
    guard let posted = (try? JSONValue(parsing: bytes))?.arrayValue else { return }
    guard let reply = (try? ReplyMatching.match(posted, to: asked)) ?? nil else { return }
    expect(reply.callbacks.count == asked.count, "there are more answers than questions")
    for (callback, values) in zip(asked, reply.callbacks) {
      expect(values.keys.allSatisfy(callback.suffixes.contains), "an input is answered that was not asked")
      for case .string(let text) in values.values {
        expect(text.utf8.count <= ReplyMatching.maximumTextBytes, "a text is too long")
      }
    }
  }

  private static let asked = [
    AskedCallback(type: "NameCallback", suffixes: [""]),
    AskedCallback(type: "TextOutputCallback", suffixes: []),
    AskedCallback(type: "DeviceBindingCallback", suffixes: ["jws", "deviceName", "deviceId", "clientError"]),
    AskedCallback(type: "NameCallback", suffixes: [""]),
  ]
}
