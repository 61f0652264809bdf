#if canImport(Darwin)
  internal import Foundation
  #if canImport(FoundationNetworking)
    internal import FoundationNetworking
  #endif

  extension URLSession {
    /// Lets `delegate` answer `challenge` with whichever of the two methods it implements; without one, the system decides.
    func hand(
      _ challenge: URLAuthenticationChallenge, of task: URLSessionTask,
      to delegate: (any URLSessionTaskDelegate)?,
      _ completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      if let answer = delegate?.urlSession(_:task:didReceive:completionHandler:) {
        answer(self, task, challenge, completionHandler)
      } else if let answer = delegate?.urlSession(_:didReceive:completionHandler:) {
        answer(self, challenge, completionHandler)
      } else {
        completionHandler(.performDefaultHandling, nil)
      }
    }
  }
#endif
