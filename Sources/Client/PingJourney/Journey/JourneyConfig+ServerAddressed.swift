internal import PingJourneyPlugin

extension JourneyConfig: ServerAddressed {}
